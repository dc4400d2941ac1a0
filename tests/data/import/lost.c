// Recorded as lost.uftrace; records were then taken out, and replaced by a record that says how many are lost.
int leaf(int x) { return x * 3 + 1; }
int middle(int x) { int sum = 0; for (int i = 0; i < 10; i++) sum += leaf(x + i); return sum; }
int top(int x) { int sum = 0; for (int i = 0; i < 5; i++) sum += middle(x + i); return sum; }
int main(void) { volatile int sum = 0; for (int i = 0; i < 6; i++) sum += top(i); return 0; }
