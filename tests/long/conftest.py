"""The long ring opens the browser and the JupyterLab of tests/browser, once for all of its files in a process."""

from tests.browser.conftest import *  # noqa: F403
