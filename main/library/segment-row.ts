// Maps a transcript segment to a row of the table `segments`: queried fields have columns, the rest is JSON.

import type { DocumentSegment } from "../contract/transcript-document.ts";

export type SegmentRow = {
  id: number;
  start_sec: number;
  end_sec: number;
  text: string;
  more: string;
};

export const asSegment = ({ id, start_sec, end_sec, text, more }: SegmentRow): DocumentSegment => ({
  id,
  startSec: start_sec,
  endSec: end_sec,
  text,
  ...(JSON.parse(more) as Omit<DocumentSegment, "id" | "startSec" | "endSec" | "text">),
});
