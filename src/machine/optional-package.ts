/** A package that only some features require is not installed. */
export class PackageMissingError extends Error {
  override readonly name = "PackageMissingError";

  /** @param feature the feature's name, as the beginning of a sentence */
  constructor(feature: string, packageName: string) {
    super(
      `${feature} requires the package ${packageName}, which is not installed. Install it with: npm install ${packageName}`,
    );
  }
}

/**
 * Loads a package that the user installs only for some features.
 * @param load imports or requires it
 * @throws PackageMissingError
 */
export async function optionalPackage<Module>(
  feature: string,
  packageName: string,
  load: () => Promise<Module>,
): Promise<Module> {
  return load().catch((error: unknown) => {
    const { code, message = "" } = error as NodeJS.ErrnoException;
    // A missing dependency of the package gives the same code.
    const isUnknown =
      code === "MODULE_NOT_FOUND" && message.startsWith(`Cannot find module '${packageName}'`);
    if (isUnknown || code === "ERR_MODULE_NOT_FOUND") throw new PackageMissingError(feature, packageName);
    throw error;
  });
}
