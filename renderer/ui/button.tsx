// Buttons. A disabled one stays focusable and shows its reason (`disabledReason`).

import "./button.css";
import type { ComponentPropsWithRef, ReactNode } from "react";
import { useRowTabIndex } from "./rows.ts";
import { Spinner } from "./spinner.tsx";
import { Tooltip } from "./tooltip.tsx";

type Shared = Omit<ComponentPropsWithRef<"button">, "disabled" | "className"> & {
  /** Why it is disabled; shown on hover and focus. */
  disabledReason?: string | undefined;
  /** Its action is running. */
  isBusy?: boolean | undefined;
  isSmall?: boolean | undefined;
  className?: string | undefined;
};

export type ButtonProps = Shared & {
  kind?: "primary" | "secondary" | "quiet" | "danger" | undefined;
  icon?: ReactNode;
};

function Base({
  disabledReason,
  isBusy,
  isSmall,
  className,
  onClick,
  ...rest
}: Shared & { className: string }) {
  const rowTab = useRowTabIndex();
  const cannotAct = disabledReason !== undefined || isBusy === true;
  return (
    <button
      type="button"
      tabIndex={rowTab}
      {...rest}
      className={`button ${className} ${isSmall ? "button-small" : ""}`}
      aria-disabled={cannotAct || undefined}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        // A button with aria-disabled would still submit its form.
        if (cannotAct) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}

export function Button({
  kind = "secondary",
  icon,
  children,
  className = "",
  ...rest
}: ButtonProps) {
  // Always inside a tooltip: a button that is disabled after it was clicked would be a new element without the focus.
  return (
    <Tooltip text={rest.disabledReason}>
      <Base {...rest} className={`button-${kind} ${className}`}>
        {rest.isBusy ? <Spinner /> : icon}
        {children}
      </Base>
    </Tooltip>
  );
}

export type IconButtonProps = Shared & {
  /** Accessible name and tooltip. */
  label: string;
  /** Shown in the tooltip. */
  keys?: string | undefined;
  side?: "top" | "right" | "bottom" | "left";
};

export function IconButton({
  label,
  keys,
  side,
  children,
  className = "",
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={rest.disabledReason ?? label} keys={keys} side={side}>
      <Base {...rest} aria-label={label} className={`button-quiet button-icon ${className}`}>
        {rest.isBusy ? <Spinner /> : children}
      </Base>
    </Tooltip>
  );
}
