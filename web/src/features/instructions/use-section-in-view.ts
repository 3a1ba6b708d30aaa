import { useEffect, useState } from "react";
import { guideEntries } from "./sections";

/** The section at the top of the window, for the contents. */
export function useSectionInView(): string | null {
  const [id, setId] = useState<string | null>(null);
  useEffect(() => {
    if (typeof IntersectionObserver === "undefined") return;
    const inView = new Set<string>();
    const observer = new IntersectionObserver(
      (changes) => {
        for (const { target, isIntersecting } of changes) {
          if (isIntersecting) inView.add(target.id);
          else inView.delete(target.id);
        }
        const first = guideEntries.find((entry) => inView.has(entry.id));
        if (first) setId(first.id);
      },
      // A band below the header; the section that crosses it is current.
      { rootMargin: "-96px 0px -70% 0px" },
    );
    for (const entry of guideEntries) {
      const section = document.getElementById(entry.id);
      if (section) observer.observe(section);
    }
    return () => observer.disconnect();
  }, []);
  return id;
}
