// Text area, uncontrolled, so that the browser's undo works. React gives a controlled textarea a new child node at
// every key, and Chromium ends the group of typing that one undo takes back whenever a node is removed: undo would go
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
  // At every render, so that typing which the parent does not accept is reverted.
  useLayoutEffect(() => {
    if (textareaRef.current !== null && textareaRef.current.value !== value)
      textareaRef.current.value = value;
  });
  return <textarea ref={textareaRef} {...rest} />;
}
