// Groups procedures into modules, as the first case study on AVID does: each procedure is a module, and step by step
// the two most similar modules become one. A cache keeps what was computed.
//
// Built with -DSORTED, the cache finds a pair of modules whichever of them comes first.

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

using Names = std::set<int>;

// A module: what its procedures are called, and which others they use.
struct Module {
    std::string name;
    Names uses;

    const Names &used() const { return uses; }
    [[gnu::noinline]] void take(const Module &other) {
        name = name < other.name ? name + "+" + other.name : other.name + "+" + name;
        uses.insert(other.uses.begin(), other.uses.end());
    }
};

struct SimFunc {
    [[gnu::noinline]] static Names both(const Names &a, const Names &b) {
        Names in;
        for (int name : a)
            if (b.count(name)) in.insert(name);
        return in;
    }
    [[gnu::noinline]] static double similarity(const Module &a, const Module &b) {
        Names in = both(a.used(), b.used());
        size_t all = a.used().size() + b.used().size() - in.size();
        return all ? double(in.size()) / double(all) : 0;
    }
};

struct Cache {
    std::map<std::string, double> kept;

    [[gnu::noinline]] static std::string key(const Module &a, const Module &b) {
#ifdef SORTED
        if (b.name < a.name) return b.name + " " + a.name;
#endif
        return a.name + " " + b.name;
    }
    [[gnu::noinline]] double similarity(const Module &a, const Module &b) {
        std::string key = Cache::key(a, b);
        auto found = kept.find(key);
        if (found != kept.end()) return found->second;
        return kept[key] = SimFunc::similarity(a, b);
    }
};

struct Clustering {
    std::vector<Module> modules;
    Cache cache;

    // The most similar pair, looked for from both sides.
    [[gnu::noinline]] std::pair<size_t, size_t> nearest() {
        std::pair<size_t, size_t> best{0, 0};
        double most = -1;
        for (size_t a = 0; a < modules.size(); ++a)
            for (size_t b = 0; b < modules.size(); ++b) {
                if (a == b) continue;
                double now = cache.similarity(modules[a], modules[b]);
                if (now > most) most = now, best = {a, b};
            }
        return best;
    }
    [[gnu::noinline]] void merge(size_t a, size_t b) {
        modules[a].take(modules[b]);
        modules.erase(modules.begin() + long(b));
    }
    [[gnu::noinline]] void run(size_t wanted) {
        while (modules.size() > wanted) {
            auto [a, b] = nearest();
            merge(a, b);
        }
    }
};

[[gnu::noinline]] static Clustering read(int procedures) {
    Clustering of;
    unsigned random = 1;
    for (int at = 0; at < procedures; ++at) {
        Module module;
        module.name = "p" + std::to_string(100 + at);
        for (int use = 0; use < 6; ++use) {
            random = random * 1103515245u + 12345u;
            module.uses.insert(at % 4 * 10 + int(random >> 16) % 10);
        }
        of.modules.push_back(module);
    }
    return of;
}

int main() {
    Clustering of = read(16);
    of.run(4);
    for (const Module &module : of.modules) std::printf("%s\n", module.name.c_str());
}
