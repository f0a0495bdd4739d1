// Messages about getting models: downloads, imports and exports. See messages.ts.

import { joinText, type MessageTable } from "./message-table.ts";

export const downloadMessages = {
  "download.unknownModel": [
    "not_found",
    joinText(
      "The catalog has no model '{id}'. Choose one from the list of models, or name a repository of the model ",
      "hub, such as owner/name.",
    ),
  ],
  "download.notFound": ["not_found", "No download of the model '{id}' is under way."],
  "download.noSource": [
    "conflict",
    "The model '{id}' comes with the app; it cannot be downloaded.",
  ],
  "download.imported": [
    "conflict",
    "The model '{id}' was imported; it cannot be downloaded. Import it again.",
  ],
  "download.installed": ["conflict", "The model '{id}' is installed already."],
  "download.otherVersion": [
    "conflict",
    "Another version of the model '{id}' is installed. Remove it to download this one.",
  ],
  "download.licence": [
    "licence_not_accepted",
    joinText(
      "The model '{id}' has the licence '{licence}', which restricts its use: ",
      "read it at {url}, and accept it to download the model.",
    ),
  ],
  "download.noFamily": [
    "invalid_value",
    joinText(
      "The files of {repository} fit no kind of model that this version can run. ",
      "Choose a repository with ONNX files of a supported model.",
    ),
  ],
  "download.incomplete": [
    "invalid_value",
    "The model in {repository} lacks files that it needs to run: {files}. Choose another repository.",
  ],
  "download.gated": [
    "upstream_error",
    joinText(
      "{host} gives out {repository} only to people who accepted its terms: ",
      "accept them at {host}/{repository}, create an access token in the settings of your account there, and ",
      "enter it on the Models page (or set HF_TOKEN). Then start the download again.",
    ),
  ],
  "download.termsNotAccepted": [
    "upstream_error",
    joinText(
      "The account of the access token has not accepted the terms of {repository}, or the token may not read ",
      "it: accept them at {host}/{repository} with that account, then start the download again.",
    ),
  ],
  "download.tokenRefused": [
    "upstream_error",
    joinText(
      "{host} does not accept the access token. Create a new one in the settings of your account there, and ",
      "enter it on the Models page (or set HF_TOKEN).",
    ),
  ],
  "download.repositoryMissing": [
    "not_found",
    joinText(
      "{host} has no public repository {repository}. It may have been removed or renamed: ",
      "check its name, or choose another model. If it is private, enter an access token on the Models page (or ",
      "set HF_TOKEN).",
    ),
  ],
  "download.revisionMissing": [
    "not_found",
    joinText(
      "{repository} on {host} has no version {revision}: it was changed since, or the name is wrong. ",
      "Check the name, update Hearsay, choose another model, or import the files.",
    ),
  ],
  "download.fileMissing": [
    "not_found",
    joinText(
      "{host} has no file {file} for this model: it was moved or removed. ",
      "Update Hearsay, choose another model, or import the files.",
    ),
  ],
  "download.changed": [
    "upstream_error",
    joinText(
      "{host} sent another version of {file} than the one requested. ",
      "Try again later, or set another mirror (HEARSAY_MODEL_MIRRORS).",
    ),
  ],
  "download.wrongSize": [
    "upstream_error",
    joinText(
      "{host} sent {file} with {actualBytes, number} bytes instead of {expectedBytes, number}. ",
      "It was discarded. Try again later, set another mirror (HEARSAY_MODEL_MIRRORS), or import the file.",
    ),
  ],
  "download.wrongChecksum": [
    "upstream_error",
    joinText(
      "{file} from {host} is damaged or not the original: its checksum is wrong. ",
      "It was discarded. Try again, set another mirror (HEARSAY_MODEL_MIRRORS), or import the file.",
    ),
  ],
  "download.portal": [
    "upstream_error",
    joinText(
      "A web page came instead of {file} from {host}: the network may ask you to sign in, or block the address. ",
      "Open a web page in your browser and sign in there, then resume the download.",
    ),
  ],
  "download.refused": [
    "upstream_error",
    joinText(
      "{host} refused the download with status {status}. A filter of the network may block it: ",
      "try another network, set a mirror (HEARSAY_MODEL_MIRRORS), or import the files.",
    ),
  ],
  "download.serverFailed": [
    "upstream_error",
    joinText(
      "{host} has a failure of its own (status {status}). Resume the download later, or set a mirror ",
      "(HEARSAY_MODEL_MIRRORS).",
    ),
  ],
  "download.tooManyRequests": [
    "upstream_error",
    "{host} accepts no more requests from this network for now. Resume the download in {seconds, number} seconds.",
  ],
  "download.redirects": [
    "upstream_error",
    "{host} redirects in circles. Try again later, or set a mirror (HEARSAY_MODEL_MIRRORS).",
  ],
  "download.unreadable": [
    "upstream_broken",
    "{host} sent a list of files that cannot be read. Try again later, or set another mirror (HEARSAY_MODEL_MIRRORS).",
  ],
  "download.noName": [
    "upstream_unreachable",
    joinText(
      "The address {host} cannot be found. Check the connection to the internet, then resume the download; ",
      "without a network, import the files.",
    ),
  ],
  "download.unreachable": [
    "upstream_unreachable",
    joinText(
      "{host} cannot be reached ({code}). Check the connection to the internet, then resume the download. ",
      "If the network blocks {host}, set a mirror (HEARSAY_MODEL_MIRRORS) or import the files.",
    ),
  ],
  "download.untrusted": [
    "upstream_unreachable",
    joinText(
      "The connection to {host} is not trustworthy ({code}). ",
      "If the network asks people to sign in, do so in your browser. ",
      "Check the clock of this computer. If a proxy or a virus scanner reads encrypted connections, name its ",
      "certificate in NODE_EXTRA_CA_CERTS and restart Hearsay.",
    ),
  ],
  "download.proxy": [
    "upstream_unreachable",
    joinText(
      "The proxy of this network does not connect to {host} ({why}). ",
      "Check the proxy in the settings of the system, or in HTTPS_PROXY its address, name and password; ",
      "then restart Hearsay.",
    ),
  ],
  "download.stalled": [
    "upstream_timeout",
    joinText(
      "{host} sent nothing for {seconds, number} seconds. Resume the download later, or set a mirror ",
      "(HEARSAY_MODEL_MIRRORS).",
    ),
  ],
  "download.broken": [
    "upstream_broken",
    joinText(
      "The connection to {host} broke off again and again. What has arrived is kept: ",
      "resume the download later, or set a mirror (HEARSAY_MODEL_MIRRORS).",
    ),
  ],
  "download.noSpace": [
    "storage_full",
    joinText(
      "The disk has too little room for this model: {needed, number} MB are needed, including a reserve, and ",
      "{free, number} MB are free. Free some space or remove a model, then resume the download.",
    ),
  ],
  "download.diskFull": [
    "storage_full",
    "The disk is full. What has arrived is kept: free some space, then resume the download.",
  ],
  "download.failed": [
    "internal",
    "The download failed unexpectedly ({why}). Resume it; if it fails again, cancel it and start anew.",
  ],
  "download.stopped": [
    "conflict",
    "The download of the model '{id}' was stopped. What has arrived is kept unless it was cancelled.",
  ],
  "download.waiting":
    "{host} is busy; the download resumes automatically in {seconds, number} seconds.",
  "download.retrying": "The connection to {host} broke off; it is tried again.",
  "modelImport.missing": ["not_found", "There is no file or folder {path}."],
  "modelImport.forbidden": [
    "invalid_value",
    "Hearsay may not read the folder {path}: allow it, or copy the model's files elsewhere.",
  ],
  "modelImport.unreadable": [
    "invalid_value",
    "The archive cannot be read ({why}). It may be damaged or incomplete: download it again.",
  ],
  "modelImport.format": [
    "unsupported_format",
    "This is no archive of a kind that can be imported: zip, tar, tar.gz or tar.bz2. Unpack it, and import the folder.",
  ],
  "modelImport.unsafe": [
    "invalid_value",
    joinText(
      "The archive has a file with the name '{name}', which would be written outside the model's folder. ",
      "It was not imported.",
    ),
  ],
  "modelImport.noSpace": [
    "storage_full",
    joinText(
      "The disk has too little room for this import: {needed, number} MB are needed, including a reserve, and ",
      "{free, number} MB are free. Free some space or remove a model, then import it again.",
    ),
  ],
  "modelImport.tooMany": [
    "invalid_value",
    "There are more than {max, number} files: choose the folder or archive of a single model.",
  ],
  "modelImport.noFamily": [
    "invalid_value",
    joinText(
      "The files fit no kind of model that this version can run. ",
      "Choose the folder or archive of one model, with all its files.",
    ),
  ],
  "modelImport.incomplete": [
    "invalid_value",
    "The model lacks files that it needs to run: {files}. Put them into its folder, and import that.",
  ],
  "modelImport.checksum": [
    "invalid_value",
    "The file {file} is damaged: it differs from the one of '{model}' that the catalog knows. Download it again.",
  ],
  "modelImport.tooHeavy": [
    "invalid_value",
    "The archive took too much memory or time to unpack. Unpack it with another program, and import the folder.",
  ],
  "modelImport.tooLarge": [
    "invalid_value",
    "The archive unpacks to more than {factor, number} times its size, as no model does. It was not imported.",
  ],
  "modelImport.manifest": [
    "invalid_value",
    joinText(
      "The model's manifest.json cannot be used: '{field}' {fault}. ",
      "Export the model again, or remove manifest.json to import the other files alone.",
    ),
  ],
  "modelImport.otherFamily": [
    "invalid_value",
    joinText(
      "According to its manifest.json this is a {kind} model of the family {family}, but its files are not. ",
      "Remove manifest.json to import them as what they are.",
    ),
  ],
  "modelImport.alreadyHere": ["conflict", "This model is on this machine already, as '{id}'."],
  "modelExport.shipped": ["conflict", "The model '{id}' comes with the app: it needs no export."],
  "modelExport.unknown": ["not_found", "The model '{id}' is not installed."],
} as const satisfies MessageTable;
