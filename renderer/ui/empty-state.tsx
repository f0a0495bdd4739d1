// Empty state: what would be here, and how to begin.

import "./empty-state.css";
import type { ReactNode } from "react";

export function EmptyState({
  icon,
  title,
  text,
  children,
}: {
  icon?: ReactNode;
  title: string;
  text?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="empty-state">
      {icon !== undefined && <span className="empty-state-icon">{icon}</span>}
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
      {children !== undefined && <div className="empty-state-actions">{children}</div>}
    </div>
  );
}
