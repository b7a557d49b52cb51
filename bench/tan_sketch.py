"""A sketch of the world `tan` (docs/worlds.md) without texts and links: how far a result depends on a number of ours.

python3 bench/tan_sketch.py sites      # sampling by site (GSB) against random visits, by the topics of a site
python3 bench/tan_sketch.py clusters   # cluster sampling (CLS-nad) against Freq, by pages and clusters

Pages have the rates of their topics and nothing else. Sites have two topics a folder, 60 to 40, and 5 % of noise; clusters are
unions of whole topics. docs/results/tan-2007.md and tan-2010.md cite the numbers. Standard library alone; about 20 seconds.
"""
import math
import random
import sys

# Changes in 8 weeks: 10 topics change often, 15 once a year, 75 hardly ever.
RATES = [2.2] * 10 + [8 / 52] * 15 + [0.003] * 75
BUDGET = 0.088
# Student's t, one-sided 0.9, by degrees of freedom: the test of CLS at 80 %.
QUANTILES = {4: 1.533, 5: 1.476, 6: 1.440, 7: 1.415, 8: 1.397, 9: 1.383, 10: 1.372}


def topics(draw):
    """The sizes of topics, from 0.28 to 2.32 times an even share."""
    return [math.exp(draw.uniform(math.log(0.28), math.log(2.32))) for _ in RATES]


def site_pages(draw, sizes, per_site):
    """The chance of change within 8 weeks of every page of a site."""
    count = max(20, int(134 * math.exp(0.45 * draw.gauss(0, 1))))
    often = 1.5 if draw.random() < 0.49 else 0.6
    weights = [size * (often if number < 10 else 1) for number, size in enumerate(sizes)]
    chosen = []
    for _ in range(per_site):
        topic = draw.choices(range(100), weights)[0]
        weights[topic] = 0
        chosen.append(topic)
    pages = []
    while len(pages) < count:
        first, second = draw.choices(chosen, [sizes[topic] for topic in chosen])[0], draw.choice(chosen)
        for _ in range(22):
            topic = first if draw.random() < 0.6 else second
            if draw.random() < 0.05:
                topic = draw.choices(range(100), sizes)[0]
            pages.append(1 - math.exp(-RATES[topic] * math.exp(0.3 * draw.gauss(0, 1))))
    return pages[:count]


def by_site(per_site, draws=60):
    """The change ratio of random visits and of GSB, means over worlds of 30 sites."""
    random_sum = greedy_sum = 0
    for seed in range(draws):
        draw = random.Random(seed)
        sizes = topics(draw)
        sites = [site_pages(draw, sizes, per_site) for _ in range(30)]
        pages = sum(map(len, sites))
        budget, sample = int(BUDGET * pages), round(math.sqrt(pages / len(sites) * BUDGET))
        random_sum += sum(map(sum, sites)) / pages
        found, shares = 0, []
        for site in sites:
            draw.shuffle(site)
            changed = sum(draw.random() < chance for chance in site[:sample])
            found += changed
            shares.append(changed / sample)
        spent = sample * len(sites)
        for number in sorted(range(len(sites)), key=lambda number: (-shares[number], draw.random())):
            rest = sites[number][sample:][: max(0, budget - spent)]
            found, spent = found + sum(rest), spent + len(rest)
        greedy_sum += found / spent
    return random_sum / draws, greedy_sum / draws


class Crawl:
    """Pages that change every two weeks by their rates, and what a crawler saw of them."""

    def __init__(self, count, clusters, seed):
        self.draw = random.Random(seed)
        sizes = topics(self.draw)
        topic = self.draw.choices(range(100), sizes, k=count)
        self.rates = [RATES[one] * math.exp(0.3 * self.draw.gauss(0, 1)) / 4 for one in topic]
        order = list(range(100))
        self.draw.shuffle(order)
        self.groups = [[] for _ in range(clusters)]
        for page, one in enumerate(topic):
            self.groups[order[one] * clusters // 100].append(page)
        for group in self.groups:
            self.draw.shuffle(group)
        self.stale, self.seen = [False] * count, [0] * count
        self.changes, self.visits = [0] * count, [0] * count
        self.budget, self.cycle, self.sampled = int(BUDGET * count), 0, 0

    def visit(self, page):
        changed, self.stale[page] = self.stale[page], False
        self.visits[page] += 1
        self.changes[page] += changed
        self.seen[page] = self.cycle
        return changed

    def begin(self):
        self.cycle += 1
        for page, rate in enumerate(self.rates):
            if not self.stale[page] and self.draw.random() < 1 - math.exp(-rate):
                self.stale[page] = True

    def at_random(self):
        return sum(self.visit(page) for page in self.draw.sample(range(len(self.rates)), self.budget))

    def by_frequency(self):
        share = lambda page: self.changes[page] / self.visits[page] if self.visits[page] else 0
        order = sorted(range(len(self.rates)), key=lambda page: (-share(page), self.seen[page], page))
        return sum(self.visit(page) for page in order[: self.budget])

    def by_clusters(self):
        found, left, means, done = 0, self.budget, [], set()
        for group in self.groups:
            scores = []
            for page in group[: self.budget // len(self.groups)]:
                if left <= 0 or is_enough(scores):
                    break
                found, left = found + self.visit(page), left - 1
                done.add(page)
                scores.append(1 - math.exp(-self.changes[page] / self.cycle))
            means.append(sum(scores) / len(scores) if scores else 0)
        self.sampled += self.budget - left
        for number in sorted(range(len(means)), key=lambda number: -means[number]):
            for page in self.groups[number]:
                if left > 0 and page not in done:
                    found, left = found + self.visit(page), left - 1
        return found


def is_enough(scores):
    if len(scores) < 5:
        return False
    mean = sum(scores) / len(scores)
    variance = sum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
    return QUANTILES.get(len(scores) - 1, 1.33) * math.sqrt(variance / len(scores)) <= 0.1


def ratio(count, clusters, full, policy, seeds=2):
    """The change ratio over 24 cycles after full ones, and the share of the budget that was sampled."""
    ratios, sampled = 0, 0
    for seed in range(seeds):
        crawl, found = Crawl(count, clusters, seed), 0
        for _ in range(full):
            crawl.begin()
            for page in range(count):
                crawl.visit(page)
        for _ in range(24):
            crawl.begin()
            found += policy(crawl)
        ratios, sampled = ratios + found / crawl.budget / 24, sampled + crawl.sampled / crawl.budget / 24
    return ratios / seeds, sampled / seeds


def main():
    match sys.argv[1:]:
        case ["sites"]:
            for per_site in (4, 8, 16, 24, 40, 100):
                random_visits, greedy = by_site(per_site)
                print(f"{per_site} topics a site: RNS {random_visits:.3f}, GSB {greedy:.3f}, {greedy / random_visits:.2f} times")
        case ["clusters"]:
            for count in (5_000, 28_469):
                plain = [ratio(count, 40, full, Crawl.by_frequency)[0] for full in (2, 0)]
                chance = ratio(count, 40, 2, Crawl.at_random)[0]
                for clusters in (40, 100):
                    found, sampled = ratio(count, clusters, 2, Crawl.by_clusters)
                    print(
                        f"{count} pages, {clusters} clusters: sampled {sampled:.2f}, CLS-nad {found:.3f}, "
                        f"Freq {plain[0]:.3f}, Freq from nothing {plain[1]:.3f}, Rand {chance:.3f}",
                        flush=True,
                    )
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
