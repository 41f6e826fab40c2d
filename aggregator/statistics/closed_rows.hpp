// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_CLOSED_ROWS_HPP
#define SOTTO_AGGREGATOR_STATISTICS_CLOSED_ROWS_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace sotto::aggregator {

// A row that closed: what its epochs add up to, without bias, and the variance of that.
struct row_reading {
    double value = 0, variance = 0;
    double reach = 0; // how far forged reports can have moved the value
};

// Rows over epochs, as a forest: a row of level l is of spans[l] epochs that begin at a multiple of
// it. spans[0] is 1, and each span is a multiple of the one before.
class closed_rows {
  public:
    explicit closed_rows(std::vector<std::uint32_t> spans) : spans_(std::move(spans)) {}

    // The row of that level whose last epoch this is.
    void add(std::size_t level, std::uint32_t last, const row_reading &row);

    const std::vector<std::uint32_t> &spans() const { return spans_; }
    std::size_t top() const { return spans_.size() - 1; }
    const row_reading *find(std::size_t level, std::uint32_t index) const;
    // Whether the row, or one within it, was added.
    bool has(std::size_t level, std::uint32_t index) const;
    // The first row at the top from this one on, with anything in it.
    std::optional<std::uint32_t> next(std::uint32_t index) const;

  private:
    std::vector<std::uint32_t> spans_;
    // By level and index; of a row that did not close, but has others in it, nothing.
    std::vector<std::map<std::uint32_t, std::optional<row_reading>>> rows_{spans_.size()};
};

// sum of w(e) x(e) over epochs: generalized least squares of all rows that were closed by then.
struct weighed_sum {
    double value = 0, variance = 0;
    std::uint32_t epochs = 0; // with a reading of their own
    double reach = 0;         // at most, where every reading's was used up

    void add(const weighed_sum &more, double times = 1);
};

// Such sums for one w: by epoch, times rate^(last - e). Epochs without a reading weigh nothing. In
// time linear in the rows, as each is worked out once. The rows must outlive it.
//
// For the rows within one row, s is what its epochs add up to, p the weighed sum. Both have a mean
// and a covariance given these rows; those of its parts add up, and its own reading then conditions
// them. This is exact, as noises are independent (Hay and others, Boosting the Accuracy of
// Differentially Private Histograms Through Consistency, 2010, has it for equal variances).
class weighed_sums {
  public:
    using weights = std::map<std::uint32_t, double>; // by epoch

    weighed_sums(const closed_rows &rows, weights w, double rate = 1)
        : rows_(rows), weights_(std::move(w)), rate_(rate), whole_(rows.spans().size()) {}

    // The sum of epochs `first` to `last`, by rows that closed at the end of `known` or before;
    // last <= known.
    weighed_sum sum(std::uint32_t first, std::uint32_t last, std::uint32_t known);

  private:
    struct state {
        double s = 0, p = 0, s_s = 0, s_p = 0, p_p = 0;
        double s_reach = 0, p_reach = 0;
        bool is_open = false; // s can be anything: an epoch in it has no reading
        std::uint32_t epochs = 0;
    };
    struct asked {
        std::uint32_t first, last, known;
    };

    std::uint64_t begin_of(std::size_t level, std::uint32_t index) const {
        return std::uint64_t{index} * rows_.spans()[level];
    }
    std::uint64_t last_of(std::size_t level, std::uint32_t index) const {
        return begin_of(level, index) + rows_.spans()[level] - 1;
    }
    std::uint32_t parts(std::size_t level) const {
        return rows_.spans()[level] / rows_.spans()[level - 1];
    }
    static void add(state &joined, const state &part, double times);
    static void observe(state &at, const row_reading &row);
    state leaf(std::uint32_t epoch) const;
    const state &whole(std::size_t level, std::uint32_t index);
    state within(std::size_t level, std::uint32_t index, const asked &range);
    void add_closed(weighed_sum &total, std::size_t level, std::uint32_t index, const asked &range);

    const closed_rows &rows_;
    weights weights_;
    double rate_;
    std::vector<std::map<std::uint32_t, state>> whole_; // by level and index
};

} // namespace sotto::aggregator
#endif
