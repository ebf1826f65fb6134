# Makes the program for people without Python on Windows: build\bpe-studio, a folder, and build\bpe-studio-Windows.zip.
# It has the steps of `make`, and needs a C compiler, too. Not tried.
$ErrorActionPreference = "Stop"
Set-Location "$PSScriptRoot\..\.."

function Invoke-Step([string]$program) {
    & $program @args
    if ($LASTEXITCODE -ne 0) { throw "$program $args ended with status $LASTEXITCODE" }
}

Invoke-Step py -m venv build\bundle-venv
$python = "build\bundle-venv\Scripts\python.exe"
Invoke-Step $python -m pip install --quiet ".[gui,hub,chat]" pyinstaller setuptools
Invoke-Step $python -m bpe_studio.engine.build_kernels
Invoke-Step $python -m PyInstaller --noconfirm --log-level WARN --distpath build --workpath build\pyinstaller .ci\bundle\bundle.spec
Compress-Archive -Force build\bpe-studio build\bpe-studio-Windows.zip
