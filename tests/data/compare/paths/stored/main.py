from workspace.wizard import ImportWizard

wizard = ImportWizard("/home/user/project/src")
wizard.run(f"org/example/part{i % 5}/Class{i}.java" for i in range(60))
