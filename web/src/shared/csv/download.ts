/** Hands the reader a text file. The name carries nothing a file system refuses. */
export function download(filename: string, text: string, type = "text/csv"): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = filename.replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, "-");
  document.body.append(link);
  link.click();
  link.remove();
  // Safari begins to read only after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
