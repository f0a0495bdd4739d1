// /app/library: how the library's file is, and what became of a damaged one.

import type { Library } from '../../library/open-library.ts';
import type { StudioRoutes } from './studio-routes.ts';

export function libraryStateRoutes({ state, dismissNotice }: Pick<Library, 'state' | 'dismissNotice'>): StudioRoutes {
  return {
    handlers: {
      readLibraryState: state,
      dismissLibraryNotice() {
        dismissNotice();
        return state();
      },
    },
    rawRoutes: [],
  };
}
