import { useEffect, useRef, useState, type ComponentType } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { whenIdle } from "./idle";
import { onDemand, useIsLoaded } from "./on-demand";
import { ErrorPanel } from "./ui/error-panel";
import { Skeleton } from "./ui/skeleton";

/** The distance below the window at which a part is loaded. */
const margin = "200px";

/**
 * A part of a page below its first screen. Its code and its data are loaded when it comes near the
 * window, at the latest when the page has settled, so that it can be searched and printed.
 */
export function belowFold<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  /** The approximate height of the part. */
  height: string,
): ComponentType<{
  props: Props;
  /** The content above has its final height. */
  ready: boolean;
}> {
  const code = onDemand(load);
  // Going back finds the page at its former height.
  let wasShown = false;
  return function BelowFold({ props, ready }) {
    const { t } = useTranslation();
    const box = useRef<HTMLDivElement>(null);
    const [near, setNear] = useState(wasShown);
    const [failed, setFailed] = useState(false);
    const isLoaded = useIsLoaded(code);
    useEffect(() => {
      const element = box.current;
      if (near || !ready || !element) return undefined;
      const show = () => setNear(true);
      whenIdle(show);
      if (typeof IntersectionObserver === "undefined") return undefined;
      const observer = new IntersectionObserver(
        ([entry]) => {
          if (entry?.isIntersecting === true) show();
        },
        { rootMargin: margin },
      );
      observer.observe(element);
      const print = () => flushSync(show);
      window.addEventListener("beforeprint", print);
      return () => {
        observer.disconnect();
        window.removeEventListener("beforeprint", print);
      };
    }, [near, ready]);
    useEffect(() => {
      if (!near || failed) return;
      wasShown = true;
      code.load().catch(() => setFailed(true));
    }, [near, failed]);
    if (near && isLoaded) return <code.Component {...props} />;
    return (
      <div ref={box} style={{ minHeight: height }}>
        {failed ? (
          <ErrorPanel
            title={t("shell.error.text")}
            reason={t("errors.network")}
            onRetry={() => setFailed(false)}
          />
        ) : (
          <Skeleton className="h-40 w-full rounded-card" />
        )}
      </div>
    );
  };
}
