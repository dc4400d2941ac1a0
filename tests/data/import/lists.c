#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char name[24]; };
static struct node *make(int i) { struct node *n = malloc(sizeof *n); n->next = 0; n->name[0] = i; return n; }
static struct node *list(int n) { struct node *first = 0; for (int i = 0; i < n; i++) { struct node *it = make(i); it->next = first; first = it; } return first; }
static void drop(struct node *n) { while (n) { struct node *next = n->next; free(n); n = next; } }
int main(void) { char *b = calloc(10, 100); for (int r = 1; r < 30; r++) { struct node *l = list(r); b = realloc(b, 100 * r + 900); drop(l); } struct node *leak = list(5); (void)leak; free(b); return 0; }
