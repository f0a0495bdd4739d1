// What can be done to the open transcript, for the palette, the keys and their overlay.

import { t } from '../../../messages/messages.ts';
import { useAction, type Action } from '../../../stores/actions.ts';
import { useUndo } from '../../../stores/undo.ts';
import { useDocument, useTranscript, useView } from './use-transcript.ts';

const Registered = (action: Action) => {
  useAction(action);
  return null;
};

export function TranscriptKeys() {
  const { item, open, actions } = useTranscript();
  const segments = useDocument((state) => state.segments);
  const undoName = useDocument((state) => state.undoName);
  const redoName = useDocument((state) => state.redoName);
  const panel = useView((view) => view.panel);
  const focusedId = useView((view) => view.focusedId);
  const segment = segments.find((each) => each.id === focusedId) ?? segments[0];
  // Where nothing of the transcript can be taken back, the library's own steps can.
  const library = useUndo((stack) => stack.past.at(-1)?.title);
  const libraryRedo = useUndo((stack) => stack.future.at(-1)?.title);
  const undo = undoName ?? library;
  const redo = redoName ?? libraryRedo;
  const window = t('shell.group.window');
  const noText = segment === undefined ? t('transcribe.no-text') : undefined;
  const noSound = item.hasMedia ? noText : t('transcribe.no-sound');
  const list: readonly Action[] = [
    { id: 'undo', title: undo === undefined ? t('shell.undo') : t('shell.undo.titled', { title: undo }), group: window, keys: 'mod+z', disabledReason: undo === undefined ? t('shell.undo.nothing') : undefined, run: () => (undoName === undefined ? void useUndo.getState().undo() : open.store.undo()) },
    { id: 'redo', title: redo === undefined ? t('shell.redo') : t('shell.redo.titled', { title: redo }), group: window, keys: 'mod+shift+z', disabledReason: redo === undefined ? t('shell.redo.nothing') : undefined, run: () => (redoName === undefined ? void useUndo.getState().redo() : open.store.redo()) },
    { id: 'transcribe.find', title: t('transcribe.find'), keys: 'mod+f', worksInText: true, disabledReason: noText, run: () => actions.show('find') },
    { id: 'transcribe.doubts', title: t('transcribe.doubts'), keys: 'd', disabledReason: noText, run: () => actions.show(panel === 'doubts' ? undefined : 'doubts') },
    { id: 'transcribe.text', title: t('transcribe.segment.go'), keys: 'e', disabledReason: noText, run: () => segment && open.view.setState({ focusedId: segment.id, takesFocus: true }) },
    { id: 'transcribe.play-segment', title: t('transcribe.segment.play'), keys: 'p', disabledReason: noSound, run: () => segment && actions.playFrom(segment.startSec) },
    { id: 'transcribe.again', title: t('transcribe.again.verb'), keys: 'h', disabledReason: noSound, run: () => segment && actions.hearAgain({ fromSec: segment.startSec, toSec: segment.endSec }) },
    { id: 'transcribe.speaker', title: t('transcribe.speaker.verb'), keys: 's', disabledReason: noText, run: () => segment && actions.nameSpeaker(segment.id) },
    { id: 'transcribe.merge', title: t('transcribe.segment.merge'), keys: 'm', disabledReason: segment === segments.at(-1) ? t('transcribe.segment.is-last') : noText, run: () => segment && actions.mergeWithNext(segment.id) },
  ];
  return list.map((action) => <Registered key={action.id} {...action} />);
}
