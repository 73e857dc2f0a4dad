"""Tables of label pairs: shown where counts are, and no empty ones where it is not known which judgments meet."""

import pyarrow as pa

from data_contracts.tables import ESTIMATES
from juryline.reports.confusion_tables import CONFUSIONS
from juryline.reports.study_report import render_report


def test_counts_without_a_value_make_no_empty_table(material_of):
    rows = material_of().estimates.to_pylist()
    none = {"value": None, "status": "not_estimable", "reason": "order_not_declared"}
    unknown = [row | none if row["statistic"] == "confusion" else row for row in rows]

    shown, left_out = (
        render_report(material_of(estimates=pa.Table.from_pylist(told, ESTIMATES.arrow_schema)))
        for told in (rows, unknown)
    )

    assert CONFUSIONS in shown
    assert CONFUSIONS not in left_out
