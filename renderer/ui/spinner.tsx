// Spinner for short work without progress.

import "./spinner.css";
import { LoaderCircle } from "lucide-react";

export const Spinner = () => <LoaderCircle className="spinner" aria-hidden />;
