// Finds metrics by their words and type, and opens for a printer what paper can't.
'use strict';
(() => {
  const box = document.querySelector('.find');
  if (box !== null) {
    const [words, type, said] = box.querySelectorAll('input, select, output');
    const metrics = [...document.querySelectorAll('.metric')];
    const isWanted = (metric) =>
      (type.value === '' || type.value === metric.dataset.type) &&
      words.value
        .toLowerCase()
        .split(/\s+/)
        .every((word) => metric.dataset.find.toLowerCase().includes(word));
    const show = () => {
      metrics.forEach((metric) => {
        metric.hidden = !isWanted(metric);
      });
      said.textContent = `${metrics.filter((m) => !m.hidden).length} of ${metrics.length} metrics`;
    };
    box.hidden = false;
    box.addEventListener('input', show);
    show();
  }

  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details.more:not([open])')];
    opened.forEach((details) => {
      details.open = true;
    });
  });
  addEventListener('afterprint', () => {
    opened.forEach((details) => {
      details.open = false;
    });
  });
})();
