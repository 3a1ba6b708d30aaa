import { useEffect, useState } from "react";
import { readEnrolment, type Enrolment } from "#/device/enrolment";
import { onEntriesChanged } from "#/device/entries";

/** The enrolment of this phone, also after each change; undefined until it is read. */
export function useEnrolment(): Enrolment | null | undefined {
  const [device, setDevice] = useState<Enrolment | null>();
  useEffect(() => {
    const read = () => void readEnrolment().then(setDevice);
    read();
    return onEntriesChanged(read);
  }, []);
  return device;
}
