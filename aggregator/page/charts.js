// Draws each figure from the table after it: what is in the table is the chart's data and its text.
'use strict';
(() => {
  const narrow = 480; // pixels
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const shortened = (text, most) => (text.length > most ? text.slice(0, most - 1) + '…' : text);

  const bars = (figure) => {
    const rows = [...document.getElementById(figure.dataset.table).tBodies[0].rows];
    return rows.map((row, i) => ({
      key: String(i), // names may be alike
      label: row.cells[0].textContent,
      said: row.dataset.said,
      value: Number(row.dataset.value),
      low: Number(row.dataset.low),
      high: Number(row.dataset.high),
    }));
  };

  // An error bar is a thin floating bar; its caps are points.
  const datasets = (data) => [
    {
      data: data.map((d) => ({ x: d.value, y: d.key })),
      backgroundColor: color('--bar'),
      barThickness: 16,
      order: 3,
    },
    {
      data: data.map((d) => ({ x: [d.low, d.high], y: d.key })),
      backgroundColor: color('--whisker'),
      barThickness: 2,
      order: 2,
    },
    {
      type: 'line',
      data: data.flatMap((d) => [d.low, d.high].map((x) => ({ x, y: d.key }))),
      showLine: false,
      pointStyle: 'line',
      pointRotation: 90,
      pointRadius: 5,
      pointHoverRadius: 5,
      pointBorderWidth: 2,
      borderColor: color('--whisker'),
      clip: false,
      order: 1,
    },
  ];

  const options = (figure, data) => {
    const most = figure.clientWidth < narrow ? 14 : 34;
    const unit = figure.dataset.unit;
    const ticks = { color: color('--quiet'), font: { size: 13 } };
    const [least, greatest] = [figure.dataset.min, figure.dataset.max].map((text) =>
      text === undefined ? undefined : Number(text),
    );
    // An interval beyond the range shows where it ends: a whole further tick would say nothing.
    const lowest = Math.min(...data.map((d) => d.low));
    const highest = Math.max(...data.map((d) => d.high));
    return {
      indexAxis: 'y',
      animation: false,
      maintainAspectRatio: false,
      grouped: false,
      interaction: { mode: 'nearest', axis: 'y', intersect: false },
      scales: {
        x: {
          min: least === undefined ? undefined : Math.min(least, lowest),
          max: greatest === undefined ? undefined : Math.max(greatest, highest),
          grid: { color: color('--line') },
          ticks: {
            ...ticks,
            maxRotation: 0,
            includeBounds: false,
            callback: (value) => value.toLocaleString('en') + unit,
          },
        },
        y: {
          type: 'category',
          grid: { display: false },
          ticks: {
            ...ticks,
            color: color('--text'),
            autoSkip: false,
            callback: (_, i) => shortened(data[i].label, most),
          },
        },
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          displayColors: false,
          filter: (item) => item.datasetIndex === 0,
          callbacks: {
            title: (items) => items.map((item) => shortened(data[item.dataIndex].label, 40)),
            label: (item) => data[item.dataIndex].said,
          },
        },
      },
    };
  };

  // A line, and its interval as a band: over time, oldest first, or over the beginnings of bins.
  const withBand = (figure) => {
    const overTime = figure.dataset.kind === 'time';
    const data = overTime ? bars(figure).reverse() : bars(figure);
    const at = (d) => (overTime ? Number(d.label.replace(/\D/g, '')) : Number.parseInt(d.label, 10));
    const points = (of) => data.map((d) => ({ x: at(d), y: of(d) }));
    const line = (of, more) => ({ data: points(of), pointRadius: 0, borderWidth: 0, ...more });
    const ticks = { color: color('--quiet'), font: { size: 13 }, maxRotation: 0 };
    const grid = { color: color('--line') };
    figure.hidden = false;
    figure.querySelector('.plot').style.height = '260px';
    return new Chart(figure.querySelector('canvas'), {
      type: 'line',
      data: {
        datasets: [
          line((d) => d.value, { borderColor: color('--whisker'), borderWidth: 2 }),
          line((d) => d.low, {}),
          line((d) => d.high, { fill: '-1', backgroundColor: color('--bar') }),
        ],
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: { mode: 'index', intersect: false },
        scales: {
          x: {
            type: 'linear',
            min: points((d) => d.value)[0].x,
            max: points((d) => d.value)[data.length - 1].x,
            grid,
            ticks: { ...ticks, precision: 0, callback: (value) => String(value) },
          },
          y: {
            grid,
            ticks: { ...ticks, callback: (value) => value.toLocaleString('en') + figure.dataset.unit },
          },
        },
        plugins: {
          legend: { display: false },
          tooltip: {
            displayColors: false,
            filter: (item) => item.datasetIndex === 0,
            callbacks: {
              title: (items) => items.map((item) => data[item.dataIndex].label),
              label: (item) => data[item.dataIndex].said,
            },
          },
        },
      },
    });
  };

  const draw = (figure) => {
    if (figure.dataset.kind !== undefined) {
      return withBand(figure);
    }
    const data = bars(figure);
    figure.hidden = false;
    figure.querySelector('.plot').style.height = `${data.length * 26 + 48}px`;
    const labels = data.map((d) => d.key);
    return new Chart(figure.querySelector('canvas'), {
      type: 'bar',
      data: { labels, datasets: datasets(data) },
      options: options(figure, data),
    });
  };

  // A chart in closed details has no size yet.
  const charts = new Map();
  const drawAll = () => {
    for (const figure of document.querySelectorAll('figure[data-table]')) {
      if (!charts.has(figure) && !figure.closest('details:not([open])')) {
        charts.set(figure, draw(figure));
      }
    }
  };
  drawAll();
  document.addEventListener('toggle', drawAll, true);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    charts.forEach((chart) => chart.destroy());
    charts.clear();
    drawAll();
  });
})();
