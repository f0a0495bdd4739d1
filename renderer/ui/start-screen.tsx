// Start screen of a page: a large drop area with a text, and buttons.

import "./invitation.css";
import type { ReactNode } from "react";

type StartScreenProps = {
  icon: ReactNode;
  title: string;
  text: string;
  /** Buttons. */
  actions: ReactNode;
  children?: ReactNode;
};

export function StartScreen({ icon, title, text, actions, children }: StartScreenProps) {
  return (
    <div className="invitation">
      <span className="invitation-icon">{icon}</span>
      <h2>{title}</h2>
      <p>{text}</p>
      <div className="invitation-actions">{actions}</div>
      {children}
    </div>
  );
}
