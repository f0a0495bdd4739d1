// Where the focus goes when what has it is removed.

/**
 * A ref for an element that is removed while it may have the focus, such as that of a stop button: the focus goes to
 * the first of the selectors that is found. Made once, outside of components.
 */
export const focusOnRemoval =
  (...selectors: readonly string[]) =>
  (element: HTMLElement | null) =>
  (): void => {
    if (element?.contains(document.activeElement) !== true) return;
    // After rendering, because what takes the focus may be another element by then.
    queueMicrotask(() => {
      for (const selector of selectors) {
        document.querySelector<HTMLElement>(selector)?.focus();
        if (document.activeElement !== document.body) return;
      }
    });
  };
