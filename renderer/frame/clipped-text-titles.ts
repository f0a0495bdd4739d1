// Under the pointer, text that ends in an ellipsis gets itself as its title.

const titled = new WeakSet<HTMLElement>();
const canvas = document.createElement("canvas").getContext("2d");

function choiceWidthPx(text: string, style: CSSStyleDeclaration): number {
  if (canvas === null) return 0;
  // The shorthand is empty beside font features.
  canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  return canvas.measureText(text).width;
}

/** The whole text of an element that shows only its beginning. */
function clippedText(element: HTMLElement): string | undefined {
  const style = getComputedStyle(element);
  if (style.textOverflow !== "ellipsis") return undefined;
  if (element instanceof HTMLSelectElement) {
    const choice = element.selectedOptions[0]?.label ?? "";
    const widthPx =
      element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return choiceWidthPx(choice, style) > widthPx ? choice : undefined;
  }
  return element.scrollWidth > element.clientWidth ? (element.textContent ?? "") : undefined;
}

export function startClippedTextTitles(): void {
  document.addEventListener("pointerover", ({ target }) => {
    let at = target instanceof HTMLElement ? target : null;
    for (; at !== null; at = at.parentElement) {
      const text = clippedText(at);
      if (text !== undefined && (at.title === "" || titled.has(at))) {
        at.title = text;
        titled.add(at);
      } else if (text === undefined && titled.delete(at)) at.removeAttribute("title");
    }
  });
}
