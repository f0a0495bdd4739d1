// Runs in a page (see layout-faults.ts), so it imports nothing. Finds what does not fit the window.

const tolerancePx = 1.5;
/** An ellipsis after fewer pixels leaves nothing to read. */
const minReadablePx = 36;
const minScrollerPx = 48;

const faults = new Set();
const controls = "a[href], button, input, select, textarea, summary, [role=slider]";
const floating = "[role=dialog], [role=menu], [role=listbox], [data-radix-popper-content-wrapper]";

const nameOf = (element) => {
  const classes = [...element.classList].map((name) => `.${name}`).join("");
  const text = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim();
  return `${element.localName}${classes} "${text.slice(0, 40)}"`;
};
const isVisible = (element) =>
  element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) &&
  // For screen readers only.
  element.closest(".unseen, [cmdk-label]") === null;
const isOut = (box, space) =>
  box.left < space.left - tolerancePx || box.right > space.right + tolerancePx;
const isBelow = (box, space) =>
  box.top < space.top - tolerancePx || box.bottom > space.bottom + tolerancePx;
const innerBox = (element) => {
  const { left, top } = element.getBoundingClientRect();
  const x = left + element.clientLeft;
  const y = top + element.clientTop;
  return { left: x, top: y, right: x + element.clientWidth, bottom: y + element.clientHeight };
};
const viewport = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };

/** What belongs to the element itself: its text if it has any, or the whole of a control. */
function contentBox(element) {
  if (element.matches(controls)) return element.getBoundingClientRect();
  const texts = [...element.childNodes].filter(
    (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? "").trim() !== "",
  );
  if (texts.length === 0) return undefined;
  const range = document.createRange();
  range.setStartBefore(texts[0]);
  range.setEndAfter(texts.at(-1));
  return range.getBoundingClientRect();
}

/** What ends in an ellipsis must show enough to know it by, and the rest under the pointer. */
function checkEllipsis(element, widthPx) {
  element.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  if (element.closest("[title]") === null) faults.add(`${nameOf(element)} has no title`);
  if (widthPx < minReadablePx) faults.add(`${nameOf(element)} has no width left`);
}
const intersection = (box, space) => ({
  left: Math.max(box.left, space.left),
  top: Math.max(box.top, space.top),
  right: Math.min(box.right, space.right),
  bottom: Math.min(box.bottom, space.bottom),
});

/** Checks the content against everything that may clip it, up to the window; returns what is left of it. */
function checkClipping(element, content) {
  let isScrollableX = false;
  let isScrollableY = false;
  let position = getComputedStyle(element).position;
  for (let at = element; at !== null; at = at.parentElement) {
    const style = getComputedStyle(at);
    const isSkipped =
      position === "fixed" || (position === "absolute" && style.position === "static");
    if (at === element || !isSkipped) {
      if (style.display === "inline" || at.matches("input, textarea")) continue;
      const space = innerBox(at);
      const isEllipsis = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
      if (at !== element && at.matches("button, .button") && isOut(content, space))
        faults.add(`${nameOf(at)} is narrower than its text`);
      if (!isScrollableX && isOut(content, space)) {
        if (/auto|scroll/.test(style.overflowX)) isScrollableX = true;
        else if (/hidden|clip/.test(style.overflowX)) {
          if (!isEllipsis) faults.add(`${nameOf(element)} is cut off by ${nameOf(at)}`);
          else checkEllipsis(at, space.right - space.left);
          return intersection(content, space);
        }
      }
      if (!isScrollableY && isBelow(content, space)) {
        if (/auto|scroll/.test(style.overflowY)) isScrollableY = true;
        else if (/hidden|clip/.test(style.overflowY)) {
          if (!isEllipsis) faults.add(`${nameOf(element)} is cut off below by ${nameOf(at)}`);
          else checkEllipsis(at, Infinity);
          return intersection(content, space);
        }
      }
    }
    if (at !== element && !isSkipped) position = style.position;
    if (at === element) position = style.position;
  }
  if (!isScrollableX && isOut(content, viewport))
    faults.add(`${nameOf(element)} leaves the window`);
  if (!isScrollableY && isBelow(content, viewport))
    faults.add(`${nameOf(element)} leaves the window below`);
  return content;
}

const measure = document.createElement("canvas").getContext("2d");
function textWidthPx(text, style) {
  if (measure === null) return 0;
  measure.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  return measure.measureText(text).width;
}

/** Text that fields show without scrolling: the choice of a list, and placeholders. */
function checkField(field) {
  const text =
    field instanceof HTMLSelectElement
      ? (field.selectedOptions[0]?.label ?? "")
      : field instanceof HTMLInputElement && field.value === ""
        ? field.placeholder
        : "";
  const style = getComputedStyle(field);
  const roomPx = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  if (textWidthPx(text, style) <= roomPx + tolerancePx) return;
  if (field instanceof HTMLSelectElement) checkEllipsis(field, roomPx);
  else faults.add(`${nameOf(field)} cuts off "${text}"`);
}

/** Columns of one word a line. */
function checkColumn(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const text = range.getBoundingClientRect();
  const lineHeightPx = parseFloat(getComputedStyle(element).lineHeight) || 18;
  const length = (element.textContent ?? "").trim().length;
  if (length > 24 && text.right - text.left < 64 && text.bottom - text.top > 5 * lineHeightPx)
    faults.add(`${nameOf(element)} is squeezed into a column`);
}

/** Whether something beside the element, in the same layer, lies over it. */
function checkCover(element, content) {
  const y = (content.top + content.bottom) / 2;
  for (const x of [content.left + 3, (content.left + content.right) / 2, content.right - 3]) {
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const top = document.elementFromPoint(x, y);
    if (top === null || top.contains(element) || element.contains(top)) continue;
    if (top.closest("label")?.contains(element) === true) continue;
    const floats = top.closest(floating);
    if (floats !== null && !floats.contains(element)) continue;
    if (isLayered(top, element)) continue;
    faults.add(`${nameOf(element)} is covered by ${nameOf(top)}`);
    return;
  }
}

/** Whether one lies over the other on purpose: it is taken out of the flow. */
function isLayered(top, below) {
  for (let at = top; at !== null && !at.contains(below); at = at.parentElement)
    if (["absolute", "fixed", "sticky"].includes(getComputedStyle(at).position)) return true;
  for (let at = below; at !== null && !at.contains(top); at = at.parentElement) {
    const { position, overflowY } = getComputedStyle(at);
    if (position === "absolute" || /auto|scroll/.test(overflowY)) return true;
  }
  return false;
}

function checkScroller(element) {
  const { overflowX, overflowY } = getComputedStyle(element);
  if (
    /auto|scroll/.test(overflowX) &&
    element.scrollWidth > element.clientWidth + tolerancePx &&
    !element.matches("pre, code, textarea, .table-scroll")
  )
    faults.add(`${nameOf(element)} scrolls sideways`);
  if (
    /auto|scroll/.test(overflowY) &&
    element.scrollHeight > element.clientHeight + tolerancePx &&
    element.clientHeight < minScrollerPx
  )
    faults.add(`${nameOf(element)} leaves ${element.clientHeight} px to scroll in`);
}

/** What is wrong with the page as it stands. */
export function findLayoutFaults() {
  if (document.documentElement.scrollWidth > innerWidth) faults.add("the page scrolls sideways");
  for (const element of document.body.querySelectorAll("*")) {
    if (!isVisible(element)) continue;
    checkScroller(element);
    const content = contentBox(element);
    if (content === undefined || content.right - content.left < 1) continue;
    const shown = checkClipping(element, content);
    checkColumn(element);
    if (element.matches("input, select")) checkField(element);
    if (getComputedStyle(element).pointerEvents !== "none") checkCover(element, shown);
  }
  return [...faults];
}
