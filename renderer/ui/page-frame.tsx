// Frame of a page: a header line (title, subtitle, main action), then its content.

import "./page-header.css";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { PortalContext } from "./portal.ts";

type PageFrameProps = {
  title: string;
  /** At most five words. */
  about: string;
  actions?: ReactNode;
  children: ReactNode;
};

/** A page whose content brings its own header line. */
export function PageShell({ children }: { children: ReactNode }) {
  const [main, setMain] = useState<HTMLElement | null>(null);
  return (
    <main className="page" ref={setMain}>
      <PortalContext value={main}>{children}</PortalContext>
    </main>
  );
}

/** `children` fill the rest of the window: a `page-body` scrolls as a whole. */
export const PageFrame = ({ title, about, actions, children }: PageFrameProps) => (
  <PageShell>
    <header className="page-header">
      <h1>{title}</h1>
      <p className="page-header-about">{about}</p>
      <div className="page-header-actions">{actions}</div>
    </header>
    {children}
  </PageShell>
);

/**
 * A page of sections that scrolls as a whole. Another `part` of it is shown from its top. With `hasHeadsBeside`, a wide
 * window shows the sections' titles beside their content.
 */
export function PageSections({
  part,
  hasHeadsBeside = false,
  children,
}: {
  part?: string;
  hasHeadsBeside?: boolean;
  children: ReactNode;
}) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    body.current?.scrollTo({ top: 0 });
  }, [part]);
  return (
    <div ref={body} className="page-body">
      <div className={`page-sections ${hasHeadsBeside ? "page-sections-beside" : ""}`}>
        {children}
      </div>
    </div>
  );
}

export function Section({
  title,
  about,
  actions,
  children,
}: {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="section">
      <div className="section-head">
        <div className="section-head-text">
          <h2>{title}</h2>
          {about !== undefined && <p>{about}</p>}
        </div>
        {actions}
      </div>
      <div className="section-body">{children}</div>
    </section>
  );
}
