/** Whether this browser knows passkeys at all. Apart from what asks for one, which few load. */
export function passkeysKnown(): boolean {
  return typeof window.PublicKeyCredential === "function";
}
