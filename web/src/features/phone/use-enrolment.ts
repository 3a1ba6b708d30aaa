import { useEffect, useState } from "react";
import { readEnrolment, type Enrolment } from "#/device/enrolment";

/** The enrolment of this phone; undefined until it is read. `refresh` reads it again. */
export function useEnrolment() {
  const [device, setDevice] = useState<Enrolment | null>();
  useEffect(() => {
    void readEnrolment().then(setDevice);
  }, []);
  return { device, refresh: () => void readEnrolment().then(setDevice) };
}
