"""Settings of simulated worlds, and the named presets.

The texts of known quality follow one generator with the numbers below (see `texts`). `equal`, `wide`, `k4` and `article-effect` change
only the references or the grades; `raw` has threads that no filter has seen; `stories` makes events hard to tell apart; `wcep` scatters key facts over articles; `c3` and `fair` change only how far length gives quality away; `paper` has the papers' sizes, and
`constructive` those of the ranking of comments, where articles differ in how good and how strict their readers are, and in words of their own.

Why `constructive` has the numbers it has, which are reasons to expect the same of real comments. A pair cancels what a whole article shares, and
of what is left five comments keep four fifths, a hundred nearly all; and the sign of a difference is worth more the more comments one is
compared with. So pairs gain from Deep where data is what limits them: quality shows in 12,000 words of which each is seldom seen, and votes are spread,
so that few pairs are ties. A regression learns from the differences between articles too: some crowds are better than others. Eight thousand
of them teach what good comments have in common; of four hundred it learns by heart which words stand for which crowd. So it gains from Shallow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from newsdesk.registry import Registry


@dataclass(frozen=True, slots=True)
class ThreadGroup:
    """Threads of one kind: how many, with how many comments each, and how many votes on a comment."""

    name: str
    threads: int
    comments: int
    votes: int


@dataclass(frozen=True, slots=True)
class Telling:
    """How articles tell an event where key facts stand anywhere, in shares; a lead has hooks instead."""

    hooks: int = 2  # sentences that open an article with an angle of its own
    key: float = 0.9  # of the reports that tell a key fact
    agency: float = 0.8  # of these, in the wording of the agency
    shared: float = 0.15  # of the other sentences, minor facts that several reports tell
    clauses: float = 0.8  # of the facts after the lead, with a clause that this article alone has


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSettings:
    """The numbers behind a world; qualities go from 0 to 1, lengths are for English."""

    events: int = 100
    comments: int = 5000

    # Events and their articles.
    events_a_day: float = 9.4
    found_median: float = 6.0
    found_spread: float = 0.5
    articles_max: int = 30
    article_words: int = 160
    labels: int = 350

    # Stories: how often an event carries one on or opens one, and whether a story may have several events on one day. `digressions` is the share
    # of an article's sentences, after the key facts, that tell of other events of the story or of those days; with `loose_titles` the title
    # may be about any of its sentences.
    story_continues: float = 0.4
    story_opens: float = 0.2
    stories_share_days: bool = False
    digressions: float = 0.0
    loose_titles: bool = False
    # None: articles begin with the key facts.
    telling: Telling | None = None

    # Threads: quality is Beta distributed; `length_tie` is the correlation of log length with (normal) quality, and `wording_noise`
    # keeps bags of words from seeing all that a reader sees.
    groups: tuple[ThreadGroup, ...] = ()
    votes: int = 5
    # Whether threads are those of an unfiltered corpus (see `raw`), on which nobody votes.
    raw: bool = False
    # How far people judge all comments of an article more or less strictly; how alike in quality its comments are (their correlation on the normal
    # scale); and how many words lean to good or to poor comments everywhere: with 0 quality shows in insights instead.
    thread_effect: float = 0.0
    likeness: float = 0.0
    leaning_words: int = 0
    quality_shape: tuple[float, float] = (0.8, 0.75)
    length_tie: float = 0.55
    wording_noise: float = 0.3
    characters_median: float = 100.0
    characters_spread: float = 0.7
    characters_range: tuple[int, int] = (10, 1500)
    # How often a comment names the topic where it says nothing else, and how many subjects there are whose articles share the insights of their comments (0: each
    # article has its own).
    topic_share: float = 0.3
    subjects: int = 0

    # References and systems that comment on articles.
    graded: int = 500
    references: int = 27
    reference_mean: float = 0.65
    reference_spread: float = 0.13
    article_effect: float = 0.0
    comment_systems: Mapping[str, float]
    system_spread: float = 0.15

    # Systems that summarize events: informativeness, coherence.
    ranked: int = 500
    summary_systems: Mapping[str, tuple[float, float]]
    summary_spread: float = 0.12

    # People; `careless` is the share of them who answer without looking.
    graders: int = 25
    voters: int = 101
    rankers: int = 25
    labellers: int = 25
    careless: float = 0.04
    bias: float = 0.03
    grade_noise: float = 0.07
    vote_noise: float = 0.14
    rank_noise: float = 0.12
    label_noise: float = 0.2


# Mean qualities that give the human grades of Qin et al. (2018), supplement, Table 4: IR-T, IR-TC, Seq2seq, Att, Att-TC, a real comment.
BASE = WorldSettings(
    comment_systems={
        "sim-ir-t": 0.465,
        "sim-ir-tc": 0.47,
        "sim-seq2seq": 0.09,
        "sim-att": 0.17,
        "sim-att-tc": 0.30,
        "sim-human": 0.65,
    },
    summary_systems={
        "sim-north": (0.75, 0.55),
        "sim-east": (0.62, 0.70),
        "sim-south": (0.48, 0.45),
        "sim-west": (0.30, 0.35),
    },
)
EQUAL = replace(BASE, reference_spread=0.0)
WIDE = replace(BASE, reference_mean=0.5, reference_spread=0.25)
K4 = replace(BASE, references=4)
ARTICLE_EFFECT = replace(BASE, article_effect=0.12)
C3 = replace(
    BASE,
    length_tie=0.975,
    characters_median=290.0,
    characters_spread=1.0,
    characters_range=(10, 5000),
)
FAIR = replace(C3, length_tie=0.0)
# Several events of one story on a day, with the same people and places, and articles that wander: hard to tell which event an article reports.
STORIES = replace(
    BASE,
    events=1500,
    found_median=0.0,
    article_words=400,
    story_continues=0.5,
    stories_share_days=True,
    digressions=0.5,
    loose_titles=True,
)
# Clusters on which the methods of Gholipour Ghalandari et al. (2020) come in the paper's order: what matters shows in what many articles tell, not in where they tell it.
WCEP = replace(
    BASE,
    found_median=78.0,
    found_spread=1.48,
    articles_max=100,
    article_words=250,
    telling=Telling(),
)
PAPER = replace(
    BASE,
    events=10_200,
    found_median=78.0,
    found_spread=1.48,
    articles_max=100,
    article_words=554,
    groups=(
        ThreadGroup("shallow", 8000, 5, 10),
        ThreadGroup("deep", 400, 100, 10),
        ThreadGroup("test", 200, 212, 40),
        ThreadGroup("commenting-train", 191_502, 27, 0),
        ThreadGroup("commenting-dev", 5000, 27, 0),
    ),
    comments=8000 * 5 + 400 * 100 + 200 * 212 + (191_502 + 5000) * 27,
    graded=1610,
    graders=5,
)

# Fujita et al. (2019): training sets of equal cost, the dev set of each, and the test set.
CONSTRUCTIVE_GROUPS = (
    ThreadGroup("shallow", 8000, 5, 10),
    ThreadGroup("deep", 400, 100, 10),
    ThreadGroup("shallow-dev", 1000, 5, 10),
    ThreadGroup("deep-dev", 50, 100, 10),
    ThreadGroup("test", 200, 212, 40),
)
CONSTRUCTIVE = replace(
    BASE,
    events=sum(group.threads for group in CONSTRUCTIVE_GROUPS),
    comments=sum(group.threads * group.comments for group in CONSTRUCTIVE_GROUPS),
    groups=CONSTRUCTIVE_GROUPS,
    quality_shape=(0.45, 1.4),
    length_tie=0.5,
    thread_effect=0.15,
    likeness=0.4,
    leaning_words=12_000,
    wording_noise=0.1,
    vote_noise=0.3,
)

# Commenting: comments name what their article is about, and what is said of one thing under one article can be said under another about it.
COMMENTING = replace(
    BASE,
    events=20_000,
    comments=400_000,
    topic_share=0.9,
    subjects=40,
    quality_shape=(1.6, 1.2),
    graded=200,
)

RAW = replace(BASE, events=400, comments=40_000, raw=True, votes=0)

PRESETS = Registry(
    "preset",
    {
        "base": "newsdesk.simulate.presets:BASE",
        "equal": "newsdesk.simulate.presets:EQUAL",
        "wide": "newsdesk.simulate.presets:WIDE",
        "k4": "newsdesk.simulate.presets:K4",
        "article-effect": "newsdesk.simulate.presets:ARTICLE_EFFECT",
        "c3": "newsdesk.simulate.presets:C3",
        "stories": "newsdesk.simulate.presets:STORIES",
        "fair": "newsdesk.simulate.presets:FAIR",
        "wcep": "newsdesk.simulate.presets:WCEP",
        "paper": "newsdesk.simulate.presets:PAPER",
        "constructive": "newsdesk.simulate.presets:CONSTRUCTIVE",
        "commenting": "newsdesk.simulate.presets:COMMENTING",
        "raw": "newsdesk.simulate.presets:RAW",
    },
)
