import re
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import unquote

import pyarrow as pa
import pytest

from data_contracts.estimates import Cut, Estimate
from data_contracts.scenarios import Scenario
from data_contracts.standing import Clause, Standing
from data_contracts.tables import ESTIMATES
from data_contracts.vocabulary import Statistic, Status, StudyStatus, Unit
from juryline.analyses.sensitivity import Cell, sensitivity_rows
from juryline.reports.study_report import CSP, render_report
from juryline.reports.table_view import MOST_ROWS

HOSTILE = (
    "<script>alert('judged')</script>",
    '"><img src=x onerror=alert(1)>',
    "'; </style><svg onload=alert(2)>",
    "{{7*7}}{% raw %}${7*7}",
    "safe\u202egpj.exe",
    "x" * 10_000,
)
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """What a browser would make of a page: its tags with attributes, its text, and whether tags balance."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.words, self.open, self.unbalanced = [], [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))

    @property
    def names(self):
        return {tag for tag, _ in self.tags}

    def values(self, name):
        return [attrs[name] for _, attrs in self.tags if name in attrs]


@pytest.fixture(scope="module")
def html(material_of):
    return render_report(material_of())


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def section(html, anchor):
    """The part of a page from one section to the next."""
    return html.split(f'<section id="{anchor}">')[1].split('<section id="')[0]


# --- the page itself --------------------------------------------------------------------------------


def test_same_material_gives_the_same_bytes_whatever_the_order_of_its_rows(material_of, html):
    names = ("estimates", "record_flow", "response_states", "exclusion_decisions", "analysis_set", "adjudicated_labels",
             "quarantine")  # fmt: skip
    whole = material_of()
    reversed_rows = {name: getattr(whole, name).take(list(range(len(getattr(whole, name))))[::-1]) for name in names}

    assert render_report(material_of()) == html
    assert render_report(material_of(**reversed_rows)) == html


def test_a_wide_table_scrolls_in_its_own_box_and_never_moves_the_page(html):
    style, body = html.split("</style>", 1)
    box = re.search(r"\n\.scroll \{([^}]*)\}", style)[1]

    # Positioned, for it also holds what is positioned out of sight.
    assert "overflow-x: auto" in box
    assert "position: relative" in box
    assert body.count("<table>") == len(re.findall(r'<div class="scroll"[^>]*>\s*<table>', body)) > 20


def test_the_page_needs_nothing_but_itself(page):
    assert page.names.isdisjoint(
        {"script", "link", "img", "iframe", "object", "embed", "form", "base", "audio", "video"}
    )
    assert all(href.startswith("#") for href in page.values("href"))
    assert not page.values("src")
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)


def test_its_policy_forbids_everything_but_its_own_style(html, page):
    policies = [a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]

    assert policies == [CSP] == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert not re.search(r"url\(|@import", html)


def test_tags_balance(page):
    assert page.unbalanced == []
    assert page.open == []


def test_every_anchor_is_there_once_and_every_link_leads_to_one(page):
    anchors = Counter(page.values("id"))

    assert [anchor for anchor, n in anchors.items() if n > 1] == []
    assert {href[1:] for href in page.values("href")} <= set(anchors)


def test_tables_say_what_their_heads_are_for(page):
    assert {attrs.get("scope") for tag, attrs in page.tags if tag == "th"} == {"col", "row", "rowgroup"}
    assert page.names >= {"caption", "figcaption", "nav", "main"}


# --- hostile text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_hostile_text_in_the_specification_stays_text(material_of, spec, page, text):
    criteria = [
        c.model_copy(update={"question": text, "condition": text, "evidence": text}) for c in spec.rubric.criteria
    ]
    hostile = spec.model_copy(
        update={
            "title": text,
            "claim": spec.claim.model_copy(update={"decision": text, "not_supported": text, "target_population": text}),
            "rubric": spec.rubric.model_copy(update={"criteria": tuple(criteria), "revision": text}),
            "systems": tuple(s.model_copy(update={"blinded": text}) for s in spec.systems),
            "raters": spec.raters.model_copy(
                update={
                    "populations": tuple(p.model_copy(update={"qualification": text}) for p in spec.raters.populations)
                }
            ),
            "governance": spec.governance.model_copy(update={"ethics": text, "consent": text}),
        }
    )
    standing = Standing(StudyStatus.EXPLORATORY, (Clause("frozen", False, text),))
    assert_harmless(render_report(material_of(spec=hostile, standing=standing)), page, text)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_hostile_text_in_the_tables_stays_text(material_of, row_of, page, text):
    whole = material_of()
    cut = Cut(analysis="spa", method="spa", criterion=text, population=text, slice=text, slice_value=text)
    labelled = Cut(analysis="likert", method="likert", criterion="coherence", population="crowd")
    columns = {"subject_kind": "label", "unit": Unit.SHARE, "status": Status.OK, "value": 0.5}
    estimates = [
        Estimate(cut=cut, subject=text, comparator=text, statistic=Statistic.SPA_PREFERENCE, **columns),
        Estimate(cut=labelled, subject=text, statistic=Statistic.SHARE, dimensions={"label": text}, **columns),
        Estimate(cut=labelled, subject=text, statistic=text, dimensions={text: text}, reason=(text,), **columns),
    ]
    tables = {
        "estimates": whole.estimates.to_pylist() + [row_of(estimate) for estimate in estimates],
        "record_flow": [*whole.record_flow.to_pylist(), {"step": "export_rows", "reason": f"ignored:{text}", "n": 3}],
        "response_states": [dict.fromkeys(("criterion", "population", "system", "state"), text) | {"n": 9}],
        "exclusion_decisions": [
            dict.fromkeys(("record_id", "exclusion_id", "rule", "scope", "evidence"), text) | {"first": True}
        ],
        "quarantine": [row | {"rule": text, "fix": text} for row in whole.quarantine.to_pylist()],
    }
    parts = {name: pa.Table.from_pylist(rows, getattr(whole, name).schema) for name, rows in tables.items()}
    assert_harmless(render_report(material_of(**parts)), page, text)


def assert_harmless(html, plain, text):
    """The page has the elements and attributes of the plain one, and shows the text as text."""
    page = Page(html)
    beginning = text[:20].partition("\u202e")[0]

    assert html.encode()
    assert page.names <= plain.names | {"details", "summary"}
    assert {name for _, a in page.tags for name in a} <= {name for _, a in plain.tags for name in a} | {"title"}
    assert page.unbalanced == []
    assert all(href.startswith("#") for href in page.values("href"))
    assert beginning in page.text
    assert "\u202e" not in html
    if len(text) > 1000:
        assert all(word.startswith("juryline trace") for word in page.words if len(word) > 1000)
    if "7*7" in text:
        assert "{{7*7}}" in page.text
        assert "${49}" not in page.text


def test_no_value_of_a_refused_row_is_shown(material_of, page):
    values = {row["value"] for row in material_of().quarantine.to_pylist()}

    assert values
    assert not [value for value in values if value in page.text]


# --- status and claim ---------------------------------------------------------------------------------


def test_a_confirmatory_study_whose_time_nobody_else_can_tell_says_so(html, page):
    assert '<p class="status">confirmatory (time self-declared)</p>' in html


def test_every_failed_clause_is_printed(material_of):
    failed = tuple(Clause(f"c{n}", False, f"Condition {n} of {n + 3} fails.") for n in range(4))
    held = Clause("h", True, "This one holds.")
    text = Page(render_report(material_of(standing=Standing(StudyStatus.EXPLORATORY, (*failed, held))))).text

    assert all(clause.text in text for clause in failed)
    assert "What does not hold: " + failed[0].text in text
    assert "exploratory" in text


def test_the_primary_result_is_the_only_headline(html):
    headline = html.split('<div class="headline">')[1].split("</div>\n{%")[0]

    assert html.count('<div class="headline">') == 1
    assert '<p class="figure">0.575</p>' in headline
    assert "[0.535, 0.615]" in headline
    assert html.count('class="figure"') == 1


def test_a_claim_that_is_not_declared_is_said_not_to_be(material_of, spec):
    claim = type(spec.claim)()
    rows = [row | {"primary": False} for row in material_of().estimates.to_pylist()]
    html = render_report(
        material_of(
            spec=spec.model_copy(update={"claim": claim}),
            estimates=pa.Table.from_pylist(rows, ESTIMATES.arrow_schema),
        )
    )
    claimed = Page("<section>" + section(html, "claim"))

    assert '<div class="headline">' not in html
    assert claimed.text.count("not declared") == 7  # the primary result and the six parts of a claim


def test_a_primary_result_without_a_value_says_why(material_of, row_of):
    rows = [row for row in material_of().estimates.to_pylist() if row["analysis"] != "spa"]
    cut = Cut(analysis="spa", method="spa", criterion="preference", population="crowd")
    pair = {"subject": "davinci", "comparator": "curie", "subject_kind": "system", "unit": Unit.PROBABILITY}
    why = {"status": Status.INSUFFICIENT, "reason": ("too_few_units",)}
    empty = Estimate(cut=cut, statistic=Statistic.SPA_PREFERENCE, **pair, **why)
    estimates = pa.Table.from_pylist([*rows, row_of(empty, primary=True)], ESTIMATES.arrow_schema)
    text = Page(render_report(material_of(estimates=estimates))).text

    assert "no value: insufficient" in text
    assert "fewer independent units than the method needs" in text


def test_stars_stand_for_the_declared_thresholds(html):
    cells = re.findall(r'<bdi>([0-9.<]+)</bdi><span class="stars">(\**)</span>', section(html, "analysis-spa"))

    assert ("0.190", "") in cells
    assert cells.count(("0.001", "***")) == 2
    assert "Stars: adjusted p * below 0.1, ** below 0.05, *** below 0.01." in html


def test_an_interim_study_prints_no_star(material_of):
    standing = Standing(StudyStatus.INTERIM, (Clause("stopping_rule_met", False, "There are 40 of 100 raters."),))
    html = render_report(material_of(standing=standing))

    assert not re.search(r'class="stars">\*', html)
    assert not re.search(r"<dd>[^<]*\*</dd>", html)
    assert "No stars: the study is interim." in html


def test_an_unfrozen_study_is_said_to_be_not_frozen(material_of):
    assert "not frozen" in Page(render_report(material_of(lock=None))).text


def test_amendments_are_shown_with_their_reasons(page):
    assert "2026-02-28T09:12:44Z, recruitment: Name the platform" in page.text


# --- numbers ------------------------------------------------------------------------------------------


def test_every_number_of_a_table_can_be_traced(html, material_of):
    page = Page(html)
    ids = set(material_of().estimates["estimate_id"].to_pylist())
    anchors = [anchor for anchor in page.values("id") if anchor in ids]
    traced = set(re.findall(r"juryline trace story-quality '([^']+)'", page.text))

    assert len(anchors) > 150
    assert set(anchors) <= traced <= ids


def test_a_trace_can_be_pasted_into_a_shell(material_of, row_of):
    cut = Cut(analysis="spa", method="spa", criterion="preference", population="crowd")
    estimate = Estimate(cut=cut, subject="it's; rm -rf *", subject_kind="system", statistic=Statistic.SPA_SD,
                        unit=Unit.PROBABILITY, status=Status.OK, value=0.5)  # fmt: skip
    page = Page(render_report(material_of(estimates=pa.Table.from_pylist([row_of(estimate)], ESTIMATES.arrow_schema))))
    (command,) = set(re.findall(r"juryline trace story-quality '[^']+'", page.text))

    assert unquote(command).endswith("/it's; rm -rf */spa_sd'")


def test_all_numbers_of_a_row_stand_in_their_own_columns(html):
    row = section(html, "analysis-wins").split('id="wins/overall/crowd/all/human/win_rate"')[1].split("</tr>")[0]

    assert re.findall(r"<bdi>([^<]+)</bdi>", row) == [
        *("human", "0.758", "[0.708, 0.808]", "1", "0.862", "0.822", "560", "90", "80", "9", "739", "90")
    ]


def test_ratings_have_no_decimals_beyond_their_monte_carlo_error(html):
    elo = section(html, "analysis-elo")
    row = elo.split('id="elo/overall/crowd/all/davinci/rating"')[1].split("</tr>")[0]

    assert re.findall(r"<bdi>([^<]+)</bdi>", row)[:3] == ["davinci", "1031", "[1013, 1050]"]
    assert "1031." not in elo


def test_the_tie_parameter_and_the_concordance_of_rankings_stand_under_their_names(html):
    ratings, agreement = section(html, "analysis-bt"), section(html, "analysis-agreement")
    ties = Page(ratings.split("<caption>Ties</caption>")[1].split("</table>")[0])
    coefficients = Page(agreement.split("<caption>Coefficients</caption>")[1].split("</table>")[0])

    assert "tie parameter ν 0.376 [0.326, 0.426]" in ties.text
    assert "mean rank" in Page(ratings.split("<caption>Ratings</caption>")[1].split("</thead>")[0]).text
    assert "Kendall's W 0.644 [0.584, 0.704]" in coefficients.text


def test_a_number_that_does_not_exist_is_words_with_a_reason(html):
    model = section(html, "analysis-bt").split("overall · gpt-4 (model)")

    assert all("not estimable" in part for part in model[1:])
    assert "wins do not lead from every system to every other" in section(html, "analysis-bt")
    assert not re.search(r"<bdi>(NaN|nan|inf|None)</bdi>", html)


def test_every_group_of_numbers_names_its_population_and_its_kind(html):
    headings = re.findall(r'scope="rowgroup"[^>]*><bdi>([^<]+)</bdi>', html)

    assert {heading.split(" · ")[1] for heading in headings} == {"crowd (human raters)", "gpt-4 (model)"}


def test_a_few_clusters_and_undeclared_slices_are_said(html):
    spa = section(html, "analysis-spa")

    assert "age_band = 18-34" in spa
    assert "fewer than 10 clusters" in spa
    assert "not in the frozen specification" in spa


def test_differences_are_shown_of_the_labels_that_pass_and_the_others_further_down(html):
    shown, further = section(html, "analysis-tests").split("<summary>Further numbers")

    assert "davinci − curie, Yes" in shown
    assert "curie, No" not in shown.split("<caption>Differences</caption>")[1].split("</table>")[0]
    assert further.count("/share_difference/label=No") == 4 * 3 * 4  # criteria, pairs; id, link, its title, the command


def test_a_model_stands_in_a_table_of_its_own_only_where_it_speaks_of_the_scale(material_of, html):
    odds = (Statistic.ORDINAL_LOG_ODDS, Statistic.ORDINAL_LOG_ODDS_CONDITIONAL)
    none = {
        "status": "not_estimable",
        "reason": "not_ordinal",
        "ci_status": "not_estimable",
        "ci_reason": "not_ordinal",
    }
    rows = [
        row | none | {"value": None, "ci_low": None, "ci_high": None} if row["statistic"] in odds else row
        for row in material_of().estimates.to_pylist()
    ]
    estimates = pa.Table.from_pylist(rows, ESTIMATES.arrow_schema)

    continuous = section(render_report(material_of(estimates=estimates)), "analysis-likert")
    ordinal = section(html, "analysis-likert")

    for caption in ("Ordinal model", "Ordinal model within a rater"):
        assert f"<caption>{caption}</caption>" in ordinal
        assert f"<caption>{caption}</caption>" not in continuous
    shown, further = continuous.split("<summary>Further numbers (6)")
    assert "the scale is not ordinal" in further
    assert "the scale is not ordinal" not in shown
    assert "Further numbers" not in ordinal


def test_what_must_be_said_of_every_row_of_a_group_is_said_once(html):
    table = section(html, "analysis-tests").split("<caption>Differences</caption>")[1].split("</table>")[0]

    assert table.count("fewer than 10 clusters") == table.count('scope="rowgroup"') == 4


def test_a_large_table_says_how_many_rows_are_elsewhere(material_of, row_of):
    cut = Cut(analysis="spa", method="spa", criterion="preference", population="crowd")
    estimates = [
        Estimate(
            cut=cut,
            subject=f"s{n:03}",
            comparator="curie",
            subject_kind="system",
            unit=Unit.PROBABILITY,
            statistic=Statistic.SPA_PREFERENCE,
            status=Status.OK,
            value=0.5,
        )
        for n in range(MOST_ROWS + 30)
    ]
    table = pa.Table.from_pylist([row_of(estimate) for estimate in estimates], ESTIMATES.arrow_schema)
    text = Page(render_report(material_of(estimates=table))).text

    assert f"{MOST_ROWS} of {MOST_ROWS + 30} rows are shown. All are in estimates.csv" in text


def test_an_analysis_without_estimates_says_so(material_of):
    rows = [row for row in material_of().estimates.to_pylist() if row["analysis"] != "elo"]
    html = render_report(material_of(estimates=pa.Table.from_pylist(rows, ESTIMATES.arrow_schema)))

    assert "No estimate was made." in section(html, "analysis-elo")


def test_an_analysis_that_is_not_declared_is_said_not_to_be_and_shows_all_its_rows(material_of, row_of):
    cut = Cut(analysis="order", method="order_effects", criterion="overall", population="crowd")
    shown = {Statistic.FIRST_SHARE: "0.562", Statistic.FIRST_ADVANTAGE: "0.641", Statistic.FLIP_TIE: "0.180"}
    estimates = [
        Estimate(
            cut=cut,
            subject="all",
            subject_kind="study",
            statistic=statistic,
            unit=Unit.SHARE,
            status=Status.OK,
            value=float(value),
            ci_low=0.1,
            ci_high=0.9,
            ci_level=0.9,
            ci_status=Status.OK,
        )
        for statistic, value in shown.items()
    ]
    rows = [row_of(estimate) for estimate in estimates]
    html = section(
        render_report(material_of(estimates=pa.Table.from_pylist(rows, ESTIMATES.arrow_schema))), "analysis-order"
    )

    assert "The specification does not declare this analysis." in html
    assert "90 % interval" in html
    assert all(f"<bdi>{value}</bdi>" in html for value in shown.values())
    assert "<svg" in html


def test_scenarios_stand_apart_from_the_declared_results_with_their_range(material_of, row_of):
    whole = material_of().estimates.to_pylist()
    spa = [row for row in whole if row["analysis"] == "spa" and row["slice"] == "all"]
    repeated = [row | {"value": 0.123} if row["statistic"] == "spa_preference" else row for row in spa]
    cells = [Cell(scenario=Scenario(), rows=spa), Cell(scenario=Scenario(exclusions="none"), rows=repeated)]
    rows = whole + [row_of(row) for row in sensitivity_rows(cells, 0.05)]
    html = render_report(material_of(estimates=pa.Table.from_pylist(rows, ESTIMATES.arrow_schema)))

    assert "0.123" not in section(html, "analysis-spa")
    told = section(html, "sensitivity")
    assert "0.123" in told
    assert "2 of 2" in told
    declared = next(row for row in spa if row["statistic"] == "spa_preference")
    assert f"{declared['value']:.3f}" in told


@pytest.mark.parametrize(
    ("statistic", "explained"),
    [("win_rate", []), ("win_rate_decisive", ["same sign"]), ("length_contrast", ["same sign", "same verdict"])],
)
def test_the_notes_of_scenarios_explain_the_columns_that_are_there_and_no_other(
    material_of, row_of, statistic, explained
):
    tested = statistic == "length_contrast"
    method = "length_effects" if tested else "win_rates"
    known = {
        "cut": Cut(analysis="wins", method=method, criterion="overall", population="crowd"),
        "subject": "davinci",
        "comparator": None if tested else "curie",
        "subject_kind": "system",
        "status": Status.OK,
        "value": 0.6,
    }
    rows = [row_of(Estimate(statistic=statistic, unit=Unit.SHARE, **known))]
    rows += [row_of(Estimate(statistic=f"{statistic}_t", unit=Unit.T, p_value=0.03, **known))] if tested else []
    cells = [Cell(scenario=Scenario(exclusions=exclusions), rows=rows) for exclusions in ("all", "none")]
    whole = rows + [row_of(row) for row in sensitivity_rows(cells, 0.05)]

    html = render_report(material_of(estimates=pa.Table.from_pylist(whole, ESTIMATES.arrow_schema)))
    told = section(html, "sensitivity").lower()

    assert "2 of 2" in told
    # Each as a heading, and in the note on it.
    assert {share: told.count(share) for share in ("same sign", "same verdict")} == {
        share: 2 if share in explained else 0 for share in ("same sign", "same verdict")
    }


# --- data ---------------------------------------------------------------------------------------------


def test_the_flow_is_drawn_with_every_reason(page, material_of):
    reasons = {"ignored by declaration", "excluded: non-native", "set aside: pilot", "superseded by a correction"}
    told = set(page.words)

    assert reasons <= told
    assert {"10\u202f412", "11\u202f630", "610"} <= told


def test_states_are_drawn_only_where_something_was_not_answered(material_of, html):
    rows = [row for row in material_of().response_states.to_pylist() if row["criterion"] == "overall"]
    rows += [dict(zip(rows[0], ("coherence", "crowd", "curie", "answered", 420)))]
    told = section(render_report(material_of(response_states=pa.Table.from_pylist(rows))), "states")

    assert "Nothing but answers: <bdi>coherence · crowd (human raters)</bdi>" in told
    assert "coherence" not in told.split("<figure>")[1].split("</figure>")[0]
    assert "Nothing but answers" not in section(html, "states")
    answered = material_of(response_states=pa.Table.from_pylist(rows[-1:]))
    assert "Every included judgment was answered." in section(render_report(answered), "states")


def test_a_long_table_is_folded_unless_it_holds_the_primary_result(material_of, row_of):
    cut = Cut(analysis="spa", method="spa", criterion="preference", population="crowd")
    rows = [
        Estimate(cut=cut, subject=f"s{n:02}", comparator="curie", subject_kind="system", unit=Unit.PROBABILITY,
                 statistic=Statistic.SPA_PREFERENCE, status=Status.OK, value=0.5)
        for n in range(50)
    ]  # fmt: skip
    rows_of = [[row_of(row, primary=primary and row is rows[0]) for row in rows] for primary in (False, True)]
    folded, unfolded = (
        section(render_report(material_of(estimates=pa.Table.from_pylist(r, ESTIMATES.arrow_schema))), "analysis-spa")
        for r in rows_of
    )

    assert "<summary>Stated preference: 50 rows</summary>" in folded
    assert "<summary>Stated preference" not in unfolded


def test_exclusions_count_hits_first_hits_removed_judgments_and_raters(html):
    rows = {
        cells[0]: cells[3:]
        for row in section(html, "exclusions").split("<tr>")
        if (cells := re.findall(r"<bdi>([^<]*)</bdi>", row))
    }

    assert rows["non-native"] == ["40", "40", "40", "4"]
    assert rows["twice"] == ["30", "20", "20", "3"]
    assert rows["hasty"] == ["3", "3", "3", "1"]


def test_adjudicated_labels_are_counted_by_status(html):
    cells = re.findall(r"<bdi>([^<]*)</bdi>", section(html, "adjudication"))

    assert cells == [
        "majority",
        "majority (min votes 3; on tie unresolved)",
        "overall",
        "120",
        "61",
        "0",
        "14",
        "5",
        "200",
    ]


def test_refused_rows_are_counted_by_rule_with_their_mend(html):
    text = Page("<section>" + section(html, "quarantine")).text

    assert "label declared label 13 1 map the label under" in text
    assert "times in order submitted_at 4 1 correct the times" in text


def test_an_empty_study_still_has_a_report(material_of, spec):
    whole = material_of()
    names = ("estimates", "record_flow", "response_states", "exclusion_decisions", "analysis_set", "adjudicated_labels",
             "quarantine")  # fmt: skip
    empty = {name: getattr(whole, name).slice(0, 0) for name in names}
    text = Page(render_report(material_of(**empty))).text

    assert "A primary result is declared, but no estimate carries it." in text
    assert "Nothing was refused." in text


def test_what_is_not_declared_is_seen_to_be_missing(page, html):
    declared = Page("<section>" + section(html, "declared")).text

    assert "Consent not declared" in declared
    assert "Pay 15 USD/h" in declared
    assert "Earlier rubrics, set aside r1" in declared
    assert "Order of candidates counterbalanced" in declared
    assert "Ties and non-answers tie, both fail, abstained" in declared
    assert "Raters: md Kind human, adjudicates only Qualification not declared" in declared
