// Steps of a channel's test: passed, failed with a reason, or not testable.

import { Check, CircleDashed, X } from "lucide-react";
import { t } from "../../messages/messages.ts";
import { localize } from "../../messages/localize.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { startTest, type TestRun } from "./channel-tests.ts";

const icons = { passed: Check, failed: X, untested: CircleDashed };

export function TestPanel({ id, run }: { id: string; run: TestRun | undefined }) {
  if (run === undefined) return null;
  if (run.error !== undefined) {
    return (
      <Notice
        tone="bad"
        action={
          <Button isSmall onClick={() => void startTest(id)}>
            {t("frame.retry")}
          </Button>
        }
      >
        {run.error}
      </Notice>
    );
  }
  if (run.controller !== undefined) {
    return (
      <div className="channel-testing" role="status">
        <Spinner />
        <span>{t("channels.test.running")}</span>
        <Button isSmall onClick={() => run.controller?.abort()}>
          {t("frame.cancel")}
        </Button>
      </div>
    );
  }
  return (
    <section className="channel-test" aria-label={t("channels.test.result")}>
      <h3 role="status">{run.result?.ok ? t("channels.test.ok") : t("channels.test.bad")}</h3>
      <ol className="channel-steps">
        {run.result?.steps.map(({ step, outcome, ...message }) => {
          const Icon = icons[outcome];
          return (
            <li key={step} className={`channel-step channel-step-${outcome}`}>
              <Icon aria-hidden />
              <span className="channel-step-name">
                {t(`channels.step.${step}`)}
                <span className="unseen">: {t(`channels.outcome.${outcome}`)}</span>
              </span>
              <span className="channel-step-message">{localize(message)}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
