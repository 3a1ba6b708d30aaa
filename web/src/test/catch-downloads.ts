import { vi } from "vitest";

/** Collects the files that the page downloads; jsdom does not support downloads. */
export function catchDownloads(): Array<{ name: string; text: string }> {
  const files: Array<{ name: string; text: string }> = [];
  const blobs = new Map<string, Blob>();
  URL.createObjectURL = (blob) => {
    const url = `blob:${blobs.size}`;
    if (blob instanceof Blob) blobs.set(url, blob);
    return url;
  };
  URL.revokeObjectURL = () => undefined;
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    const blob = blobs.get(this.href);
    const file = { name: this.download, text: "" };
    files.push(file);
    if (!blob) return;
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      // Decoding removes a byte order mark, which is part of the file.
      const bytes = new Uint8Array(reader.result instanceof ArrayBuffer ? reader.result : []);
      file.text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    });
    reader.readAsArrayBuffer(blob);
  });
  return files;
}
