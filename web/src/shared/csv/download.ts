/** Downloads a text file under a name that all file systems accept. */
export function download(filename: string, text: string, type = "text/csv"): void {
  saveFile(filename, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** Downloads a file under a name that all file systems accept. */
export function saveFile(filename: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = filename.replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, "-");
  document.body.append(link);
  link.click();
  link.remove();
  // Safari reads the URL only after the click handler has returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
