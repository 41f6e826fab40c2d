// Draws each figure from a table of the page: what is in the table is the chart's data and its text.
'use strict';
(() => {
  const narrow = 480; // pixels
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const shortened = (text, most) => (text.length > most ? text.slice(0, most - 1) + '…' : text);
  const height = { bars: (data) => data.length * 26 + 48 };
  const usual = 220; // pixels, of all others

  const rowsOf = (table) =>
    [...document.getElementById(table).tBodies[0].rows].map((row, i) => ({
      key: String(i), // names may be alike
      label: row.cells[0].textContent,
      epoch: Number(row.dataset.epoch),
      said: row.dataset.said,
      value: Number(row.dataset.value),
      low: Number(row.dataset.low),
      high: Number(row.dataset.high),
    }));

  const ticks = () => ({ color: color('--quiet'), font: { size: 13 }, maxRotation: 0 });
  const grid = () => ({ color: color('--line') });
  const ofUnit = (figure) => ({
    ...ticks(),
    includeBounds: false,
    callback: (value) => value.toLocaleString('en') + figure.dataset.unit,
  });
  const dayOf = ({ start, days }, epoch) =>
    new Date((Number(start) + epoch * Number(days)) * 864e5).toISOString().slice(0, 10);
  const epochText = (figure, epoch) =>
    figure.dataset.start === undefined ? String(epoch) : dayOf(figure.dataset, epoch);

  const common = (interaction, title, label) => ({
    animation: false,
    maintainAspectRatio: false,
    interaction: { intersect: false, ...interaction },
    plugins: {
      legend: { display: false },
      tooltip: {
        displayColors: false,
        filter: (item) => item.dataset.isEstimate === true,
        callbacks: { title, label },
      },
    },
  });

  // --- bars, or columns where they are a scale

  // An error bar is a thin floating bar; its caps are points. `place` is along, then across.
  const datasets = (data, place, isUpright) => [
    {
      isEstimate: true,
      data: data.map((d) => place(d.value, d.key)),
      backgroundColor: color('--bar'),
      barThickness: isUpright ? undefined : 16,
      maxBarThickness: 40,
      order: 3,
    },
    {
      data: data.map((d) => place([d.low, d.high], d.key)),
      backgroundColor: color('--whisker'),
      barThickness: 2,
      order: 2,
    },
    {
      type: 'line',
      data: data.flatMap((d) => [d.low, d.high].map((end) => place(end, d.key))),
      showLine: false,
      pointStyle: 'line',
      pointRotation: isUpright ? 0 : 90,
      pointRadius: 5,
      pointHoverRadius: 5,
      pointBorderWidth: 2,
      borderColor: color('--whisker'),
      clip: false,
      order: 1,
    },
  ];

  const bars = (figure, data) => {
    const isUpright = figure.dataset.kind === 'columns';
    const room = Math.max(6, Math.floor(figure.clientWidth / data.length / 8)); // characters
    const most = isUpright ? room : figure.clientWidth < narrow ? 14 : 34;
    // An interval beyond the range shows where it ends: a whole further tick would say nothing.
    const end = (text, known, pick) => (text === undefined ? undefined : pick(Number(text), ...known));
    const along = {
      min: end(figure.dataset.min, data.map((d) => d.low), Math.min),
      max: end(figure.dataset.max, data.map((d) => d.high), Math.max),
      grid: grid(),
      ticks: ofUnit(figure),
    };
    const across = {
      type: 'category',
      grid: { display: false },
      ticks: {
        ...ticks(),
        color: color('--text'),
        autoSkip: isUpright,
        callback: (_, i) => shortened(data[i].label, most),
      },
    };
    const place = (value, key) => (isUpright ? { x: key, y: value } : { x: value, y: key });
    return {
      type: 'bar',
      data: { labels: data.map((d) => d.key), datasets: datasets(data, place, isUpright) },
      options: {
        ...common(
          { mode: 'nearest', axis: isUpright ? 'x' : 'y' },
          (items) => items.map((item) => shortened(data[item.dataIndex].label, 40)),
          (item) => data[item.dataIndex].said,
        ),
        indexAxis: isUpright ? 'x' : 'y',
        grouped: false,
        scales: isUpright ? { x: across, y: along } : { x: along, y: across },
      },
    };
  };

  // --- lines with bands: over time, oldest first, or over the beginnings of bins

  const band = (points, stroke, fill, more) => {
    const line = (of, own) => ({
      data: points.map((p) => ({ x: p.x, y: of(p) })),
      pointRadius: 0,
      borderWidth: 0,
      ...own,
    });
    return [
      line((p) => p.value, { isEstimate: true, borderColor: stroke, borderWidth: 2, ...more }),
      line((p) => p.low, { label: '' }),
      line((p) => p.high, { label: '', fill: '-1', backgroundColor: fill }),
    ];
  };

  // `sets` have their points in `points`, each with what it says.
  const lines = (figure, sets, text) => {
    const at = sets.flatMap((set) => set.points.map((p) => p.x));
    const said = (item) => sets[Math.floor(item.datasetIndex / 3)].points[item.dataIndex];
    const name = (item) => (sets.length > 1 ? `${shortened(item.dataset.label, 30)}: ` : '');
    const options = common(
      { mode: 'index' },
      (items) => items.slice(0, 1).map((item) => said(item).label),
      (item) => name(item) + said(item).said,
    );
    options.plugins.legend = {
      display: sets.length > 1,
      position: 'bottom',
      labels: {
        color: color('--text'),
        usePointStyle: true,
        filter: (item) => item.text !== '',
      },
    };
    options.scales = {
      x: {
        type: 'linear',
        min: Math.min(...at),
        max: Math.max(...at),
        grid: grid(),
        ticks: { ...ticks(), precision: 0, maxTicksLimit: 6, callback: text },
      },
      y: { grid: grid(), ticks: ofUnit(figure) },
    };
    return { type: 'line', data: { datasets: sets.flatMap((set) => set.datasets) }, options };
  };

  const single = (figure, points, text) =>
    lines(
      figure,
      [{ points, datasets: band(points, color('--whisker'), color('--bar'), { label: 'estimate' }) }],
      text,
    );

  const overTime = (figure, data) =>
    single(
      figure,
      data.reverse().map((d) => ({ ...d, x: d.epoch })),
      (epoch) => epochText(figure, epoch),
    );

  const overBins = (figure, data) =>
    single(
      figure,
      data.map((d) => ({ ...d, x: Number.parseInt(d.label, 10) })),
      String,
    );

  // A line a value; colors alone would not tell them apart.
  const marks = ['circle', 'triangle', 'rect', 'rectRot', 'crossRot'];
  const overTables = (figure) => {
    const tables = figure.dataset.tables.split(' ').reverse().map(rowsOf);
    const sets = JSON.parse(figure.dataset.names).map((label, i) => {
      const found = tables.map((rows) => rows.find((row) => row.label === label));
      const points = found
        .filter((row) => row !== undefined)
        .map((row) => ({ ...row, x: row.epoch, label: epochText(figure, row.epoch) }));
      const stroke = color(`--line-${i}`);
      const more = { label, pointStyle: marks[i], pointRadius: 4, backgroundColor: stroke };
      return { points, datasets: band(points, stroke, `${stroke}26`, more) };
    });
    return lines(figure, sets, (epoch) => epochText(figure, epoch));
  };

  const kinds = { bars, columns: bars, time: overTime, bins: overBins };

  const draw = (figure) => {
    const { kind, most, table } = figure.dataset;
    const data = table === undefined ? [] : rowsOf(table).slice(0, most && Number(most));
    figure.hidden = false;
    figure.querySelector('.plot').style.height = `${(height[kind] ?? (() => usual))(data)}px`;
    const config = kind === 'trend' ? overTables(figure) : kinds[kind](figure, data);
    return new Chart(figure.querySelector('canvas'), config);
  };

  // A chart in closed details has no size yet.
  const charts = new Map();
  const drawAll = () => {
    for (const figure of document.querySelectorAll('figure[data-kind]')) {
      if (!charts.has(figure) && !figure.closest('details:not([open])')) {
        charts.set(figure, draw(figure));
      }
    }
  };
  drawAll();
  document.addEventListener('toggle', drawAll, true);
  addEventListener('beforeprint', drawAll);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    charts.forEach((chart) => chart.destroy());
    charts.clear();
    drawAll();
  });
})();
