// At work, for less than one can give a figure for.

import "./spinner.css";
import { LoaderCircle } from "lucide-react";

export const Spinner = () => <LoaderCircle className="spinner" aria-hidden />;
