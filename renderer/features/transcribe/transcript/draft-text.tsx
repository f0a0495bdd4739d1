// The words that are being spoken: those that may still change are lighter.

import "./draft-text.css";
import { useDrafts } from "./drafts.ts";

export const DraftText = ({ itemId }: { itemId: string }) => (
  // Screen readers would interrupt whoever speaks; the segments follow.
  <div className="draft-text" aria-live="off">
    {useDrafts(itemId).map(({ startSec, settled, unsettled, speaker }) => (
      <p key={`${startSec} ${speaker}`}>
        {speaker !== undefined && <span className="draft-speaker">{speaker}: </span>}
        {settled}
        <span className="draft-unsettled">{unsettled}</span>
      </p>
    ))}
  </div>
);
