// Message next to what it is about: an error with what to do next, a warning, a remark.

import "./notice.css";
import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

const icons = { bad: CircleAlert, warn: TriangleAlert, plain: Info };

/** `action` is a button at the right: retry, undo, open settings. */
export function Notice({
  tone = "plain",
  children,
  action,
}: {
  tone?: keyof typeof icons;
  children: ReactNode;
  action?: ReactNode;
}) {
  const Icon = icons[tone];
  return (
    <div className={`notice notice-${tone}`} role={tone === "bad" ? "alert" : "status"}>
      <Icon aria-hidden />
      <div className="notice-text">{children}</div>
      {action}
    </div>
  );
}
