// A text field of several lines whose undo is the browser's own, run by run. A controlled one is given a new child by
// React at every key, and Chromium ends a run of typing wherever a node is taken out of the page: undo would take back
// letter by letter.

import { useImperativeHandle, useLayoutEffect, useRef, type ComponentPropsWithRef } from "react";

export function TextBox({
  value,
  ref,
  ...rest
}: Omit<ComponentPropsWithRef<"textarea">, "value" | "defaultValue" | "children"> & {
  value: string;
}) {
  const textareaRef = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(ref, () => textareaRef.current as HTMLTextAreaElement, []);
  // At every render: what is typed and not taken over is taken back.
  useLayoutEffect(() => {
    if (textareaRef.current !== null && textareaRef.current.value !== value)
      textareaRef.current.value = value;
  });
  return <textarea ref={textareaRef} {...rest} />;
}
