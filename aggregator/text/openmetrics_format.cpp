// SPDX-License-Identifier: Apache-2.0
// The newest epoch of each metric, for a monitor: gauges that it keeps the history of. Epochs have
// no timestamps here, as a file that node_exporter collects may have none.
#include "aggregator/base/openmetrics.hpp"
#include "aggregator/text/estimate_phrases.hpp"
#include "aggregator/text/fields.hpp"
#include "aggregator/text/format.hpp"

#include <map>

namespace sotto::aggregator {
namespace {

using labels = openmetrics_text::labels;

std::string text_of(const json_value &value) {
    return value.is_null()     ? ""
           : value.is_string() ? value.get_ref<const std::string &>()
                               : json_text(value);
}

// Fields of a row by name: the same words and numbers as in CSV.
std::map<std::string, std::string> texts_of(const estimate_row &r) {
    std::map<std::string, std::string> texts;
    for (const field &f : fields_of(r, json_value::array())) {
        texts[f.name] = f.name == std::string("remarks") ? "" : text_of(f.value);
    }
    return texts;
}

// A value that is not detected is mostly noise; very many would be a series each.
std::vector<const estimate_row *> rows_of_interest(row_group rows) {
    std::vector<const estimate_row *> shown;
    for_each_group(rows, [&](row_group group) {
        for (const estimate_row *r : largest(group)) {
            if (r->detected.value_or(true)) {
                shown.push_back(r);
            }
        }
    });
    return shown;
}

class exposition {
  public:
    explicit exposition(const estimate_answer &answer)
        : answer_(answer), rows_(rows_of_interest(answer.found.rows)) {
        for_each_group(answer.found.rows,
                       [&](row_group group) { metrics_.push_back(&group.front()); });
    }

    std::string text() && {
        put_metrics();
        put_values("estimate", "Count of releases, mean or quantile, without the noise.",
                   "estimate");
        put_values("estimate_low", "Lower end of its 95 % interval.", "ci_low");
        put_values("estimate_high", "Upper end of its 95 % interval.", "ci_high");
        put_rejected();
        return std::move(out_).finished();
    }

  private:
    void put_metrics() {
        out_.family("metric", "info", "Words of each metric.");
        for (const estimate_row *r : metrics_) {
            const metric &m = *r->subject;
            out_.sample("_info", "1",
                        {{"registry", answer_.known.name},
                         {"metric", m.name},
                         {"type", m.type_name},
                         {"mechanism", m.mechanism_name},
                         {"title", m.words.title},
                         {"unit", m.words.unit}});
        }
        put_each("reports", "Reports that the estimates are of.", "reports");
        put_each("epoch", "Number of the epoch that the estimates are of.", "epoch");
        put_each("epsilon", "Loss of a device by one answer, at most.", "epsilon_all_levels");
    }

    // A sample a metric, of a field of its rows.
    void put_each(const char *name, const char *help, const char *field_name) {
        out_.family(name, "gauge", help);
        for (const estimate_row *r : metrics_) {
            if (const std::string value = texts_of(*r)[field_name]; !value.empty()) {
                out_.sample("", value, {{"metric", r->subject->name}});
            }
        }
    }

    void put_values(const char *name, const char *help, const char *field_name) {
        out_.family(name, "gauge", help);
        for (const estimate_row *r : rows_) {
            auto texts = texts_of(*r);
            out_.sample("", texts[field_name],
                        {{"metric", texts["metric"]},
                         {"value", texts["value"]},
                         {"value_kind", texts["value_kind"]},
                         {"quantity", texts["quantity"]}});
        }
    }

    void put_rejected() {
        if (!answer_.rejected) {
            return;
        }
        out_.family("rejected_reports", "counter", "Reports that were not counted, by reason.");
        for (std::size_t i = 0; i < reason_count; ++i) {
            const auto why = static_cast<reason>(i);
            out_.sample("_total", std::to_string(answer_.rejected->count(why)),
                        {{"reason", reason_text(why)}});
        }
    }

    const estimate_answer &answer_;
    std::vector<const estimate_row *> rows_, metrics_; // rows, and the first of each metric
    openmetrics_text out_ = openmetrics_text("sotto_");
};

std::string estimates_openmetrics(const estimate_answer &answer) {
    return exposition(answer).text();
}

void limit_to_newest(estimate_request &request) {
    request.epochs = request.epochs_of_values = 1;
    request.nearby = 0;
}

} // namespace

const output_format openmetrics_format = {
    .name = "openmetrics", .estimates = estimates_openmetrics, .limit = limit_to_newest};

} // namespace sotto::aggregator
