import { Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { QuickAdd } from "./quick-add";

/** The header's tools of owners and managers. */
export function ManagerTools() {
  const { t } = useTranslation();
  return (
    <div className="flex grow justify-end max-md:hidden lg:grow-0">
      <QuickAdd
        trigger={
          <Button variant="primary" size="small" icon aria-label={t("commands.add.open")}>
            <Plus aria-hidden className="size-5" />
          </Button>
        }
      />
    </div>
  );
}
