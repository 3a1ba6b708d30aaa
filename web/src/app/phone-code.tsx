import { useEffect, type ComponentProps } from "react";
import { isEnrolled } from "#/device/enrolled";
import { keepContact } from "#/features/operator/send/contact";
import { sendForPeople } from "#/features/operator/send/phone-outbox";
import { PhonePeople as People } from "#/features/phone/phone-people";
import { registerServiceWorker } from "./service-worker/register";

// What an enrolled phone needs, loaded as one chunk after the page.
export { PinCard } from "#/features/phone/pin-card";
export { PinHint } from "#/features/phone/pin-hint";

/** The people of this phone. Their entries are sent while none of them is signed in. */
export function PhonePeople(props: ComponentProps<typeof People>) {
  useEffect(() => sendForPeople(null), []);
  useEffect(keepContact, []);
  // A new release must be stored with the operator page, which opens without signal.
  useEffect(() => {
    const registered = isEnrolled().then((is) => (is ? registerServiceWorker("operator") : null));
    return () => void registered.then((cancel) => cancel?.());
  }, []);
  return <People {...props} />;
}
