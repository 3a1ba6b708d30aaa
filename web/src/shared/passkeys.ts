import * as v from "valibot";
import { passkeysKnown } from "./passkeys-known";

// Converts between the server's base64url and WebAuthn's bytes.

/** The server's request for an assertion. */
export const passkeyRequestSchema = v.object({
  challenge: v.string(),
  rpId: v.string(),
  credentialIds: v.array(v.string()),
});

export type PasskeyRequest = v.InferOutput<typeof passkeyRequestSchema>;

/** The assertion in the server's form. */
export interface PasskeyAnswer {
  credentialId: string;
  clientDataJson: string;
  authenticatorData: string;
  signature: string;
}

/** The attestation in the server's form. */
export interface PasskeyCreation {
  challenge: string;
  rpId: string;
  userHandle: string;
  userName: string;
  displayName: string;
  excludeCredentialIds: readonly string[];
}

/** The user canceled the browser's dialog, or it failed. */
export class PasskeyCancelled extends Error {
  constructor(cause?: unknown) {
    super("No passkey was used", { cause });
    this.name = "PasskeyCancelled";
  }
}

const timeout = 5 * 60_000;

export async function askPasskey(request: PasskeyRequest): Promise<PasskeyAnswer> {
  const credential = await requestCredential(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: toBytes(request.challenge),
        rpId: request.rpId,
        allowCredentials: descriptors(request.credentialIds),
        userVerification: "required",
        timeout,
      },
    }),
  );
  if (!(credential.response instanceof AuthenticatorAssertionResponse)) {
    throw new PasskeyCancelled();
  }
  const { clientDataJSON, authenticatorData, signature } = credential.response;
  return {
    credentialId: toText(credential.rawId),
    clientDataJson: toText(clientDataJSON),
    authenticatorData: toText(authenticatorData),
    signature: toText(signature),
  };
}

export async function createPasskey(
  creation: PasskeyCreation,
): Promise<{ clientDataJson: string; attestationObject: string }> {
  const credential = await requestCredential(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: toBytes(creation.challenge),
        rp: { id: creation.rpId, name: "Hourmeter" },
        user: {
          id: toBytes(creation.userHandle),
          name: creation.userName,
          displayName: creation.displayName,
        },
        // ES256 and EdDSA.
        pubKeyCredParams: [
          { type: "public-key", alg: -7 },
          { type: "public-key", alg: -8 },
        ],
        excludeCredentials: descriptors(creation.excludeCredentialIds),
        authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
        attestation: "none",
        timeout,
      },
    }),
  );
  if (!(credential.response instanceof AuthenticatorAttestationResponse)) {
    throw new PasskeyCancelled();
  }
  const { clientDataJSON, attestationObject } = credential.response;
  return {
    clientDataJson: toText(clientDataJSON),
    attestationObject: toText(attestationObject),
  };
}

async function requestCredential(
  request: () => Promise<Credential | null>,
): Promise<PublicKeyCredential> {
  if (!passkeysKnown()) throw new PasskeyCancelled();
  try {
    const credential = await request();
    if (credential instanceof PublicKeyCredential) return credential;
  } catch (error) {
    throw new PasskeyCancelled(error);
  }
  throw new PasskeyCancelled();
}

function descriptors(ids: readonly string[]): PublicKeyCredentialDescriptor[] {
  return ids.map((id) => ({ type: "public-key", id: toBytes(id) }));
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

function toText(buffer: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
