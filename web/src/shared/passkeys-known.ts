/**
 * Whether this browser supports passkeys. A separate module, because few pages load the code that
 * uses them.
 */
export function passkeysKnown(): boolean {
  return typeof window.PublicKeyCredential === "function";
}
