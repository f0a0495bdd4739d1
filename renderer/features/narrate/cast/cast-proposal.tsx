// The cast that a novel seems to have: pointed out above the script, accepted in one click in the cast tab.

import { UsersRound } from "lucide-react";
import { useEffect } from "react";
import type { CastProposal, Role } from "../../../../main/contract/narration.ts";
import { call } from "../../../api/client.ts";
import { languageInUse, t } from "../../../messages/messages.ts";
import { useTask } from "../../../stores/task.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { useNarration, useScript, useView } from "../use-narration.ts";
import type { Recast } from "./use-recast.tsx";
import { unusedVoice, type Speakers } from "./use-speakers.ts";

const maxListed = 6;
const maxHinted = 3;

/** Of a script's length: after smaller changes the proposal is asked for again only where all of it is shown. */
const minChange = 0.1;

/** Asks for a proposal when a script without a cast is saved. @returns why that failed */
function useCastProposalRequest(): string | undefined {
  const { item, open } = useNarration();
  const script = useScript((state) => state.script);
  const isSaved = useScript((state) => state.saving === "saved");
  const hasCast = useScript((state) => (state.options.cast ?? []).length > 0);
  const askedFor = useView((view) => view.castProposal?.of);
  const { error, run, cancel } = useTask();
  const narrator = t("narrate.cast.narrator");
  const isShown = useView((view) => view.tab === "cast");
  const isMuchChanged =
    askedFor === undefined ||
    Math.abs(script.length - askedFor.length) > minChange * askedFor.length;
  const isWanted = !hasCast && isSaved && askedFor !== script && (isShown || isMuchChanged);
  useEffect(() => {
    if (!isWanted) return undefined;
    // What is typed from now on is not in the answer.
    const of = open.store.getState().script;
    void run(async (signal) => {
      const proposal = await call("proposeCast", { narrator }, item.id, signal);
      open.view.setState({ castProposal: { ...proposal, of } });
    });
    return cancel;
  }, [isWanted, run, cancel, narrator, item.id, open]);
  return error;
}

/** Above the script, while another tab is shown: says that there is a proposal. */
export function CastProposalHint() {
  const { open } = useNarration();
  const error = useCastProposalRequest();
  const roles = useView((view) => view.castProposal?.roles) ?? [];
  const hasCast = useScript((state) => (state.options.cast ?? []).length > 0);
  const isHidden = useView((view) => view.isCastHintDismissed || view.tab === "cast");
  if (error !== undefined)
    return (
      <div className="narrate-note">
        <Notice tone="bad">{error}</Notice>
      </div>
    );
  if (roles.length === 0 || hasCast || isHidden) return null;
  const names = roles.slice(0, maxHinted).map(({ name }) => name);
  const more = roles.length - names.length;
  const parts = more === 0 ? names : [...names, t("narrate.cast.proposal.others", { count: more })];
  return (
    <div className="narrate-note">
      <Notice
        action={
          <>
            <Button
              isSmall
              icon={<UsersRound aria-hidden />}
              onClick={() => open.view.setState({ tab: "cast", isSheetOpen: true })}
            >
              {t("narrate.cast.proposal.show")}
            </Button>
            <Button
              isSmall
              kind="quiet"
              onClick={() => open.view.setState({ isCastHintDismissed: true })}
            >
              {t("narrate.cast.proposal.later")}
            </Button>
          </>
        }
      >
        {t("narrate.cast.proposal.hint", {
          count: roles.length,
          names: new Intl.ListFormat(languageInUse()).format(parts),
        })}
      </Notice>
    </div>
  );
}

export function CastProposalNotice({ speakers, recast }: { speakers: Speakers; recast: Recast }) {
  const found = useView((view) => view.castProposal);
  const script = useScript((state) => state.script);
  if (speakers.cast.length > 0 || found?.of !== script || found.roles.length === 0) return null;
  const { roles } = found;
  const accept = (): void =>
    recast(t("narrate.cast.accepted", { count: roles.length }), {
      script: found.script,
      cast: castVoices(speakers, roles),
    });
  return (
    <div className="cast-proposal">
      <p>{t("narrate.cast.proposal", { count: roles.length })}</p>
      <ul>
        {roles.slice(0, maxListed).map(({ name, lineCount }) => (
          <li key={name}>
            <span>{name}</span>
            <span className="secondary figures">
              {t("narrate.cast.proposal.lines", { count: lineCount })}
            </span>
          </li>
        ))}
      </ul>
      {roles.length > maxListed && (
        <p className="secondary">
          {t("narrate.cast.proposal.more", { count: roles.length - maxListed })}
        </p>
      )}
      <Button kind="primary" isSmall icon={<UsersRound aria-hidden />} onClick={accept}>
        {t("narrate.cast.accept")}
      </Button>
    </div>
  );
}

/** Each role gets another voice, of its gender where that is known, as long as there are some. */
function castVoices(speakers: Speakers, roles: CastProposal["roles"]): readonly Role[] {
  const cast: Role[] = [{ name: speakers.narrator }];
  for (const { name, gender } of roles)
    cast.push({ name, voice: unusedVoice({ ...speakers, cast }, gender) });
  return cast;
}
