// A port that a person can choose.

import { z } from "zod";

export const portNumber = z.int().min(1).max(65_535);
