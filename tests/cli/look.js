// What only a browser knows of a page: what is wider than it, cut, on top of another, too small, or leads nowhere.
(() => {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((each) => {
    return each.checkVisibility({ visibilityProperty: true }) && !each.closest(".card");
  });
  const box = (each) => each.getBoundingClientRect();
  const named = (each) => `${each.className || each.tagName} ${each.textContent.trim().slice(0, 30)}`;
  const near = (a, b) => Math.abs(a - b) <= 2;

  const boxes = shown(".part > button, .end, .cell, .tile, .head > div");
  const overlaps = boxes.flatMap((one, i) => boxes.slice(i + 1).filter((other) => {
    const [a, b] = [box(one), box(other)];
    return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  }).map((other) => `${named(one)} and ${named(other)}`));

  const ends = shown(".part > button, .end, .bus").map(box);
  const touches = (x, y) => ends.some((end) => {
    return x >= end.left - 1 && x <= end.right + 1 && y >= end.top - 2 && y <= end.bottom + 2;
  });
  const loose = shown(".line").filter((line) => {
    const { left, right, top, bottom } = box(line), x = (left + right) / 2, y = (top + bottom) / 2;
    return line.classList.contains("across") ? !touches(left - 1, y) || !touches(right + 1, y) : !touches(x, top) || !touches(x, bottom);
  }).map((line) => line.className);
  // A bus of NVLink goes on in its neighbour's, or ends at the frame of the node.
  const buses = shown(".bus").map(box), frames = shown(".fabric").map(box);
  const broken = buses.filter((bus) => {
    const left = buses.some((each) => near(each.right, bus.left) && near(each.top, bus.top));
    const right = buses.some((each) => near(each.left, bus.right) && near(each.top, bus.top));
    return !(left || frames.some((each) => bus.left <= each.left + 6)) || !(right || frames.some((each) => bus.right >= each.right - 6));
  }).length;

  const heads = shown(".head").flatMap((head) => {
    const rows = Map.groupBy(head.children, (tile) => Math.round(box(tile).top));
    return [...rows.values()].filter((row) => {
      return !near(box(row.at(-1)).right, box(head).right) || (row.length === 1 && rows.size < head.children.length);
    }).map((row) => named(row[0]));
  });

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), small = [];
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() && parent.checkVisibility() && parseFloat(getComputedStyle(parent).fontSize) < 11) small.push(named(parent));
  }

  const cards = [...document.querySelectorAll(".part > button")].map((button) => {
    const card = button.popoverTargetElement;
    if (!card) return false;
    button.scrollIntoView({ block: "center", behavior: "instant" });
    button.click();
    const { top, bottom, left, right } = box(card);
    const open = card.matches(":popover-open") && card.checkVisibility() && top >= 0 && left >= 0 && bottom <= innerHeight && right <= document.documentElement.clientWidth;
    button.click();
    return open && !card.checkVisibility() && button.tabIndex === 0 && card.querySelectorAll("dd").length > 1;
  });

  const copy = document.querySelector("button.copy");
  if (copy) { copy.closest("details").open = true; copy.click(); }
  const selected = String(getSelection());
  if (copy) copy.closest("details").open = false;

  return {
    wide: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
    cut: shown(".part > button, .end, .tile, .cell, .head dd, td, pre, code, .wide, .few, .names, p").filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline").map(named),
    rails: shown(".node .rail").length,
    gpus: shown(".node .gpu").length,
    overlaps, loose, broken, heads, small,
    deaf: cards.filter((works) => !works).length,
    folded: [...document.querySelectorAll("details")].filter((each) => !each.lastElementChild.checkVisibility()).length,
    selected,
    background: getComputedStyle(document.body).backgroundColor,
  };
})()
