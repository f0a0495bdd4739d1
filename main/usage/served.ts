// What the router reports of a request while it is served: which channels were tried, which one answered, and what a
// provider may charge for.

/** Who served a request: filled when the answer begins, in an object its caller made. */
export type Served = {
  channel?: string;
  model?: string;
  isPaid?: boolean;
  attempts: number;
  /** The latest, from before it answers. */
  asked?: Asked;
  /** Attempts that failed, and that a provider may charge for nevertheless. */
  charged?: Asked[];
  /**
   * Asked before each attempt; a candidate that is refused is passed over where another may serve.
   * @param measureSec the length of the sound to be sent @throws AppError where the attempt may not be made
   */
  admit?(asked: Asked, measureSec?: () => Promise<number>): Promise<Admission>;
};

export type Admission = { /** Spoken sound is priced by its length. */ needsMadeSec: boolean };

/** Who was asked: a provider may be paid for that, whether or not its answer was waited for. */
export type Asked = {
  channel: string;
  model: string;
  isPaid: boolean;
  /** Before its answer began, and nothing is to be paid. */
  hasFailed: boolean;
  /** Sound a provider was given to hear, or made, as measured here. */
  mediaSec?: number;
  /** Sound a provider heard, where that is not the file once as a whole. */
  heardSec?: number;
};
