import { lazy, type ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { createStore, useStore } from "./store";
import { buttonClass } from "./ui/button-class";

/**
 * A component for one that `load` loads and keeps. If it can't be loaded, it shows a line with a
 * retry; `React.lazy` keeps a failure for ever.
 */
export function lazyLoaded<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const attempt = () =>
    lazy<ComponentType<Props>>(async () => ({ default: await load().catch(failed) }));
  const failed = (error: unknown) => {
    console.warn("A part of the page could not be loaded", error);
    return () => <LoadFailed onRetry={() => code.set(attempt())} />;
  };
  const code = createStore(attempt());
  return function LazyLoaded(props) {
    const Code = useStore(code);
    return <Code {...props} />;
  };
}

function LoadFailed({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <div role="alert" className="p-4">
      {t("shell.error.text")}{" "}
      <button type="button" className={buttonClass({})} onClick={onRetry}>
        {t("common.tryAgain")}
      </button>
    </div>
  );
}
