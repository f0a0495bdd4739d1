// What is used of a package that has no types.

declare module "@echogarden/espeak-ng-emscripten" {
  export type EspeakModule = {
    /** The module's memory; another view after it grew. */
    readonly HEAPU8: Uint8Array;
    readonly eSpeakNGWorker: new () => {
      /** @param name of a language or voice */
      set_voice(name: string): number;
      /** @returns where the result is in memory, ended by a zero, until the next call */
      convert_to_phonemes(text: string, isIpa: boolean): { readonly ptr: number };
    };
  };
  const instantiate: () => Promise<EspeakModule>;
  export default instantiate;
}
